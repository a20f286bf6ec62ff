-- A monitor that ends on purpose says so.
UPDATE monitor SET stopped_ms = :wall_ms WHERE id = :id
