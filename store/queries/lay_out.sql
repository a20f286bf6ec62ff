WITH RECURSIVE n (pos) AS (
    SELECT :first_pos WHERE :first_pos <= :last_pos
    UNION ALL SELECT pos + 1 FROM n WHERE pos < :last_pos
)
INSERT INTO step (run_id, pos, epoch)
SELECT :run_id, pos, :epoch FROM n
WHERE NOT EXISTS (SELECT 1 FROM step WHERE run_id = :run_id AND pos = n.pos)
