SELECT id FROM run WHERE id >= :prefix AND id < :prefix || '{' ORDER BY id LIMIT :limit
