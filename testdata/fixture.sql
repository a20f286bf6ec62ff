-- A small trail with one of everything that the views can show. It is read
-- into a database with the schema in it, by the test of docs/VIEWS.md.

-- A run that did all its steps, one of them long.
INSERT INTO run (id, family, total) VALUES ('export-monday', 'export', 40);
WITH RECURSIVE n (k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 40)
INSERT INTO step (run_id, pos) SELECT 'export-monday', k FROM n;
UPDATE step SET state = 'running', epoch = 1 WHERE run_id = 'export-monday';
UPDATE step SET state = 'done', epoch = 1 WHERE run_id = 'export-monday';
INSERT INTO event (run_id, epoch, kind, code, who) VALUES ('export-monday', 1, 'run.exited', 0, 'worker');

-- A run in a retry loop.
INSERT INTO run (id, family, total) VALUES ('export-retry', 'export', 3);
INSERT INTO step (run_id, pos, name) VALUES
    ('export-retry', 1, 'orders'), ('export-retry', 2, 'invoices'), ('export-retry', 3, 'customers');
UPDATE step SET state = 'running', epoch = 1 WHERE run_id = 'export-retry' AND pos = 1;
UPDATE step SET state = 'done', epoch = 1 WHERE run_id = 'export-retry' AND pos = 1;
UPDATE step SET state = 'running', epoch = 1 WHERE run_id = 'export-retry' AND pos = 2;
UPDATE step SET state = 'failed', epoch = 1, note = 'table is locked' WHERE run_id = 'export-retry' AND pos = 2;
UPDATE step SET state = 'running', epoch = 1 WHERE run_id = 'export-retry' AND pos = 2;
UPDATE step SET state = 'failed', epoch = 1, note = 'table is locked' WHERE run_id = 'export-retry' AND pos = 2;
INSERT INTO event (run_id, epoch, kind, since, source, reason, data)
SELECT run_id, epoch, 'signal.stalled', advance_event, 'monitor', 'looping', '{"state":"stuck"}'
FROM cursor WHERE run_id = 'export-retry';

-- A run that hangs in the step it began, and one that never did anything. The
-- first was pinged before it was told.
INSERT INTO run (id, family, total) VALUES ('export-hung', 'export', 3), ('export-never', 'export', 3);
INSERT INTO step (run_id, pos) SELECT r.id, k.value FROM run AS r, json_each('[1,2,3]') AS k WHERE r.id IN ('export-hung', 'export-never');
UPDATE step SET state = 'running', epoch = 1 WHERE run_id = 'export-hung' AND pos = 1;
UPDATE step SET state = 'done', epoch = 1 WHERE run_id = 'export-hung' AND pos = 1;
UPDATE step SET state = 'running', epoch = 1 WHERE run_id = 'export-hung' AND pos = 2;
INSERT INTO event (run_id, epoch, kind, since, source, reason, data)
SELECT run_id, epoch, 'pinged', advance_event, 'monitor', 'quiet', '{"state":"degraded"}' FROM cursor WHERE run_id = 'export-hung';
INSERT INTO event (run_id, epoch, kind, since, source, reason, data)
SELECT run_id, epoch, 'signal.stalled', coalesce(advance_event, start_event), 'monitor',
    iif(advance_event IS NULL, 'never-started', 'quiet'), '{"state":"stalled"}'
FROM cursor WHERE run_id IN ('export-hung', 'export-never');

-- A run that went quiet, came back, and is in a long step with marks.
INSERT INTO run (id, family) VALUES ('review-17', 'review');
INSERT INTO step (run_id, pos, epoch, state) VALUES ('review-17', 1, 1, 'running')
ON CONFLICT (run_id, pos) DO UPDATE SET state = excluded.state, epoch = excluded.epoch;
INSERT INTO event (run_id, epoch, kind, since, source, reason, data)
SELECT run_id, epoch, 'signal.stalled', start_event, 'monitor', 'quiet', '{"state":"stalled"}'
FROM cursor WHERE run_id = 'review-17';
UPDATE step SET mark_amount = 2, mark_of = 5, epoch = 1 WHERE run_id = 'review-17' AND pos = 1;
INSERT INTO event (run_id, epoch, kind, since, source)
SELECT run_id, epoch, 'signal.recovered', start_event, 'monitor' FROM cursor WHERE run_id = 'review-17';

-- A run whose worker was replaced, and that waits now.
INSERT INTO run (id, family, total) VALUES ('review-18', 'review', 2);
INSERT INTO step (run_id, pos) VALUES ('review-18', 1), ('review-18', 2);
UPDATE run SET epoch = epoch + 1 WHERE id = 'review-18';
INSERT INTO event (run_id, epoch, kind, reason) VALUES ('review-18', 1, 'refused', 'step.done of epoch 1');
INSERT INTO event (run_id, epoch, kind, for_ms, reason) VALUES ('review-18', 2, 'hold', 1200000, 'rate limit');

-- What a monitor last said.
INSERT INTO verdict (run_id, epoch, state, reason, since, at_ms, awake_ms, seen)
SELECT run_id, epoch,
    CASE run_id WHEN 'export-monday' THEN 'done' WHEN 'export-retry' THEN 'stuck' WHEN 'review-17' THEN 'advancing'
        WHEN 'review-18' THEN 'waiting' ELSE 'stalled' END,
    CASE run_id WHEN 'export-retry' THEN 'looping' WHEN 'export-hung' THEN 'quiet' WHEN 'export-never' THEN 'never-started' ELSE '' END,
    coalesce(advance_event, start_event), last_ms, 60000, last_event
FROM cursor;
INSERT INTO monitor (id, host, pid, boot_id, started_ms, interval_ms, late_ms, looks, last_look_ms, last_mono_ms)
SELECT 'watcher-1', 'watcher', 1, 'a', min(at_ms), 5000, 15000, 7, max(at_ms), 1 FROM event;

-- Two sinks: one takes everything, one has been down since export-hung stalled.
INSERT INTO sink (name, monitor, since_ms) VALUES ('file', 'watcher-1', 1), ('page', 'watcher-1', 1);
INSERT INTO delivery (sink, event_id, run_id, queued_ms, state, attempts, tried_ms, ended_ms, answer)
SELECT 'file', id, run_id, at_ms, 'delivered', 1, at_ms, at_ms, '200 OK' FROM event WHERE kind >= 'signal.' AND kind < 'signal/';
INSERT INTO delivery (sink, event_id, run_id, queued_ms, state, attempts, tried_ms, wait_ms, ended_ms, answer)
SELECT 'page', id, run_id, at_ms, CASE run_id WHEN 'export-retry' THEN 'dead' ELSE 'waiting' END, 3, at_ms, 20000,
    CASE run_id WHEN 'export-retry' THEN at_ms END, '503 Service Unavailable'
FROM event WHERE kind = 'signal.stalled';

-- Time has passed. A worker cannot say so: the stamps are the database's.
DROP TRIGGER a_step_is_stamped_by_the_database;
UPDATE step SET begun_ms = finished_ms - 1000 * CASE WHEN pos = 7 THEN 60 ELSE pos % 3 + 1 END,
    first_begun_ms = finished_ms - 1000 * CASE WHEN pos = 7 THEN 60 ELSE pos % 3 + 1 END
WHERE run_id = 'export-monday';
