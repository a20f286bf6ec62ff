INSERT INTO run (id, family, total, open, process, policy)
VALUES (:run_id, :family, :total, :open, :process, (SELECT id FROM policy WHERE body = :policy))
