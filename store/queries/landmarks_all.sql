-- Every landmark.
SELECT run_id, event_id, awake_ms FROM landmark ORDER BY event_id
