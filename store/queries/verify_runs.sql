SELECT id, family, total, open, process, epoch, started_ms,
    (SELECT body FROM policy WHERE policy.id = run.policy AND length(CAST(body AS BLOB)) <= 60000)
FROM run
