-- A look moves the awake clock of its boot, never back. Of two looks that
-- cross, the later one stays. A reading a minute ahead of this boot is none, and
-- an awake clock that is ahead of the boots it was counted in is brought back.
UPDATE clock SET
    look_wall_ms = :wall_ms,
    look_mono_ms = :mono_ms,
    look_awake_ms = max(:awake_ms, min(coalesce(look_awake_ms, 0), min(coalesce(look_mono_ms, 0), :mono_ms)
        + coalesce((SELECT max(c.look_awake_ms) FROM clock AS c WHERE c.boot_id <> :boot), 0))),
    look_event = max(min(coalesce(look_event, 0), coalesce((SELECT max(id) FROM event), 0)), :event)
WHERE boot_id = :boot
    AND (look_mono_ms IS NULL OR look_mono_ms < :mono_ms OR look_mono_ms > :mono_ms + 60000)
