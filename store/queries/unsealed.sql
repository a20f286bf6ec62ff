-- The rows of the log, each that ended a step with the name, note and epoch of
-- it, which do not change any more and are in no column of the log.
SELECT id, at_ms, run_id, epoch, kind, step, attempt, advance, position, total, open, amount, out_of,
    for_ms, code, signal, since, source, reason, who, data,
    CASE WHEN kind = 'step.done' OR kind = 'step.skipped' OR kind = 'step.cancelled' THEN (
        SELECT coalesce(s.name, '') || char(31) || coalesce(s.note, '') || char(31) || s.epoch FROM step AS s
        WHERE s.run_id = event.run_id AND s.pos = event.step AND s.last_event = event.id AND s.finished_ms IS NOT NULL) END
FROM event WHERE id > :after ORDER BY id LIMIT :at_most
