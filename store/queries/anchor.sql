INSERT INTO clock (boot_id, first_wall_ms, first_mono_ms, first_event)
VALUES (:boot_id, :wall_ms, :mono_ms, coalesce((SELECT max(id) FROM event), 0))
ON CONFLICT DO NOTHING
