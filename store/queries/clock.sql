-- The row of this boot, if there is one, then the one that an earlier boot
-- left furthest on the awake clock.
SELECT boot_id = :boot AS here, first_wall_ms, first_mono_ms, first_event,
    look_wall_ms, look_mono_ms, look_awake_ms, look_event
FROM clock
ORDER BY here DESC, look_awake_ms DESC
LIMIT 2
