SELECT id, at_ms, run_id, epoch, kind, step, attempt, advance, position, total, open, amount, out_of,
    for_ms, code, signal, since, source, reason, who, data
FROM event WHERE id > :after ORDER BY id
