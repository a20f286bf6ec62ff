-- The runs that have not ended, by their partial index.
SELECT substr(CAST(run_id AS BLOB), 1, 256) FROM cursor WHERE live = 1 ORDER BY run_id
