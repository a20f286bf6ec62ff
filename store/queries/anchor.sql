INSERT INTO clock (boot_id, first_wall_ms, first_mono_ms, first_event)
SELECT :boot_id, :wall_ms, :mono_ms, coalesce((SELECT max(id) FROM event), 0)
WHERE NOT EXISTS (SELECT 1 FROM clock WHERE boot_id = :boot_id)
