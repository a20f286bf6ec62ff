UPDATE delivery SET state = 'waiting', wait_ms = 0, spent_ms = 0, attempts = 0, ended_ms = NULL
WHERE id IN (SELECT value FROM json_each(:ids)) AND (state = 'dead' OR state = 'dropped' OR state = 'waiting' AND lease IS NULL)
