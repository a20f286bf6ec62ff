-- The runs of which a row of the log says something new. What a monitor wrote
-- moves no cursor and is no news.
SELECT DISTINCT substr(CAST(run_id AS BLOB), 1, 256) FROM event
WHERE id > :event AND id <= :newest AND run_id IS NOT NULL AND source <> 'monitor'
ORDER BY 1
