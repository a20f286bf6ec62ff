-- That a monitor looked is its own cursor.
INSERT INTO monitor (id, host, pid, boot_id, started_ms, interval_ms, late_ms,
    looks, missed, last_look_ms, last_mono_ms, last_event, blind_ms, blind_reason)
VALUES (:id, :host, :pid, :boot, :started_ms, :interval_ms, :late_ms,
    1, :missed, :wall_ms, :mono_ms, :event, :blind_ms, :blind_reason)
ON CONFLICT (id) DO UPDATE SET
    pid = excluded.pid,
    boot_id = excluded.boot_id,
    stopped_ms = NULL,
    interval_ms = excluded.interval_ms,
    late_ms = excluded.late_ms,
    looks = min(monitor.looks, 4611686018427387904) + 1,
    missed = min(monitor.missed, 4611686018427387904) + excluded.missed,
    last_look_ms = excluded.last_look_ms,
    last_mono_ms = excluded.last_mono_ms,
    last_event = max(monitor.last_event, excluded.last_event),
    blind_ms = excluded.blind_ms,
    blind_reason = excluded.blind_reason
