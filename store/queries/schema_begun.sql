-- What must be there of a trail that is to be brought forward.
SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('trail', 'run', 'event', 'goose_db_version')
