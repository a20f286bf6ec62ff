UPDATE delivery SET state = 'dropped', ended_ms = :at_ms, lease = NULL, lease_ms = 0
WHERE id IN (SELECT value FROM json_each(:ids)) AND (state = 'waiting' OR state = 'dead')
