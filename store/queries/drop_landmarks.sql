-- Landmarks of events that nothing is counted from any more.
DELETE FROM landmark WHERE event_id IN (SELECT value FROM json_each(:events))
