INSERT INTO seal (first_event, last_event, rows, hash, at_ms, source)
VALUES (:first_event, :last_event, :rows, :hash, :at_ms, :source)
