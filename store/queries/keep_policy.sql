INSERT INTO policy (body) SELECT :policy WHERE NOT EXISTS (SELECT 1 FROM policy WHERE body = :policy)
