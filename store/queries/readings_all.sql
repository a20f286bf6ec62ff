-- Where every run stands, in the order of their ids, in one pass.
SELECT
    substr(CAST(r.id AS BLOB), 1, 256), substr(r.family, 1, 65), r.policy, r.epoch,
    c.epoch, c.epoch_event, c.epoch_ms, c.start_event, c.start_ms,
    c.total, c.open, c.process, c.position, c.terminal, c.frontier,
    c.advance_event, c.advance_ms, c.advance_epoch, c.rows_since, c.failed_since, c.refused,
    c.observed, c.observed_total, c.total_high, c.rise_event, c.full_event, c.full_ms,
    c.hold_event, c.hold_ms, c.hold_for_ms, substr(c.hold_reason, 1, 4096), c.hold_end_event, c.hold_end_ms,
    c.spent_ms, c.budget_end_event, c.budget_end_ms,
    c.exit_event, c.exit_code, c.exit_signal, substr(c.exit_reason, 1, 200), substr(c.asked_by, 1, 200),
    c.cancel_event, c.live, c.last_event, c.last_ms,
    v.epoch, substr(v.state, 1, 32), substr(v.reason, 1, 200), v.since, v.at_ms, v.awake_ms, v.seen, substr(v.data, 1, 65536),
    EXISTS (SELECT 1 FROM event AS e WHERE e.run_id = c.run_id AND e.since IS NOT NULL)
FROM run AS r
LEFT JOIN cursor AS c ON c.run_id = r.id
LEFT JOIN verdict AS v ON v.run_id = r.id
ORDER BY r.id
