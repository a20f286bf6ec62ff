-- Of the monitors that were, the last hundred are remembered.
DELETE FROM monitor
WHERE id IN (SELECT id FROM monitor ORDER BY last_look_ms DESC LIMIT -1 OFFSET 100)
