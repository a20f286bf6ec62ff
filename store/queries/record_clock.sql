-- A look moves the awake clock of its boot, never back. Of two looks that
-- cross, the later one stays. A reading a minute ahead of this boot is none.
INSERT INTO clock (boot_id, first_wall_ms, first_mono_ms, first_event, look_wall_ms, look_mono_ms, look_awake_ms, look_event)
VALUES (:boot, :wall_ms, :mono_ms, :event, :wall_ms, :mono_ms, :awake_ms, :event)
ON CONFLICT (boot_id) DO UPDATE SET
    look_wall_ms = excluded.look_wall_ms,
    look_mono_ms = excluded.look_mono_ms,
    look_awake_ms = max(coalesce(clock.look_awake_ms, 0), excluded.look_awake_ms),
    look_event = max(coalesce(clock.look_event, 0), excluded.look_event)
WHERE clock.look_mono_ms IS NULL OR clock.look_mono_ms < excluded.look_mono_ms
    OR clock.look_mono_ms > excluded.look_mono_ms + 60000
