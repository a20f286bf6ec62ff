-- The id of the newest event, 0 in an empty log.
SELECT coalesce(max(id), 0) FROM event
