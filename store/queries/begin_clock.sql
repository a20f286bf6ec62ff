-- The first look of a boot in which nobody opened the trail for writing before.
INSERT INTO clock (boot_id, first_wall_ms, first_mono_ms, first_event, look_wall_ms, look_mono_ms, look_awake_ms, look_event)
SELECT :boot, :wall_ms, :mono_ms, :event, :wall_ms, :mono_ms, :awake_ms, :event
WHERE NOT EXISTS (SELECT 1 FROM clock WHERE boot_id = :boot)
