-- Thresholds as they were recorded.
SELECT body FROM policy WHERE id = :id
