UPDATE sink SET pause_ms = 0
WHERE name IN (SELECT sink FROM delivery WHERE id IN (SELECT value FROM json_each(:ids)))
