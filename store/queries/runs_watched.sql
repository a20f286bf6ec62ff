-- How many runs live, those that just ended too.
SELECT count(*) FROM (SELECT run_id FROM cursor WHERE live = 1 UNION SELECT value FROM json_each(:runs))
