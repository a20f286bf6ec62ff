-- The monitors that looked, the latest look first.
SELECT substr(CAST(id AS BLOB), 1, 256), substr(host, 1, 256), pid, substr(boot_id, 1, 64), started_ms, interval_ms, late_ms,
    looks, missed, last_look_ms, last_mono_ms, last_event, blind_ms, substr(blind_reason, 1, 200), stopped_ms
FROM monitor
ORDER BY last_look_ms DESC, id
