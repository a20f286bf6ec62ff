-- The outbox: which signals of the log still have to reach somebody. A row of
-- delivery is written in the transaction that writes the signal, for each sink
-- that wants it, and whoever delivers takes it from here. It is no part of the
-- log: what was signalled is in event, whatever becomes of its delivery.

-- +goose Up

-- The sinks for which signals are kept, with what each wants, as the monitor
-- that serves them last said. How to reach them, and their secrets, are in the
-- policy file alone. A list that is empty lets everything pass.
CREATE TABLE sink (
    name     TEXT    NOT NULL PRIMARY KEY,
    families TEXT    NOT NULL DEFAULT '[]',
    kinds    TEXT    NOT NULL DEFAULT '[]',
    states   TEXT    NOT NULL DEFAULT '[]',
    monitor  TEXT    NOT NULL,
    since_ms INTEGER NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0,
    tried_ms INTEGER NOT NULL DEFAULT 0,
    pause_ms INTEGER NOT NULL DEFAULT 0,
    CONSTRAINT a_sink_is_named_like_a_run CHECK (
        name GLOB '[a-z0-9]*' AND name NOT GLOB '*[^a-z0-9._-]*'
        AND length(name) <= 64 AND length(CAST(name AS BLOB)) = length(name)),
    CONSTRAINT what_a_sink_wants_is_lists_of_json CHECK (
        json_valid(families) AND json_type(families) = 'array'
        AND json_valid(kinds) AND json_type(kinds) = 'array'
        AND json_valid(states) AND json_type(states) = 'array'),
    CONSTRAINT the_failures_of_a_sink_are_counted_from_zero CHECK (failures >= 0 AND pause_ms >= 0)
) STRICT, WITHOUT ROWID;

-- One signal on its way to one sink.
--   waiting    it is to be sent, or is being sent while somebody holds a lease
--   delivered  the sink took it
--   merged     it goes out in the message of another one: a recovered in that of
--              its stalled, which had not been delivered when it came
--   grouped    the same, for what came in one storm
--   dead       given up: refused for good, or too long in vain
--   dropped    given up by a person
CREATE TABLE delivery (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    sink      TEXT    NOT NULL,
    event_id  INTEGER NOT NULL REFERENCES event (id),
    run_id    TEXT    NOT NULL REFERENCES run (id),
    state     TEXT    NOT NULL DEFAULT 'waiting',
    into_id   INTEGER,
    queued_ms INTEGER NOT NULL,
    attempts  INTEGER NOT NULL DEFAULT 0,
    tried_ms  INTEGER NOT NULL DEFAULT 0,
    wait_ms   INTEGER NOT NULL DEFAULT 0,
    spent_ms  INTEGER NOT NULL DEFAULT 0,
    lease     TEXT,
    lease_ms  INTEGER NOT NULL DEFAULT 0,
    unsure    INTEGER NOT NULL DEFAULT 0,
    ended_ms  INTEGER,
    answer    TEXT,
    CONSTRAINT a_delivery_is_waiting_delivered_merged_grouped_dead_or_dropped CHECK (
        state = 'waiting' OR state = 'delivered' OR state = 'merged' OR state = 'grouped'
        OR state = 'dead' OR state = 'dropped'),
    CONSTRAINT what_goes_out_in_another_message_names_an_earlier_delivery CHECK (
        (into_id IS NOT NULL) = (state = 'merged' OR state = 'grouped') AND (into_id IS NULL OR into_id < id)),
    CONSTRAINT the_attempts_of_a_delivery_are_counted_from_zero CHECK (
        attempts >= 0 AND wait_ms >= 0 AND spent_ms >= 0 AND lease_ms >= 0),
    CONSTRAINT unsure_is_0_or_1 CHECK (unsure = 0 OR unsure = 1),
    CONSTRAINT an_answer_is_at_most_1024_bytes CHECK (answer IS NULL OR length(CAST(answer AS BLOB)) <= 1024)
) STRICT;

CREATE UNIQUE INDEX a_signal_is_delivered_to_a_sink_once ON delivery (event_id, sink);
CREATE INDEX delivery_waiting ON delivery (sink, id) WHERE state = 'waiting';
CREATE INDEX delivery_of_run ON delivery (sink, run_id);
CREATE INDEX delivery_into ON delivery (into_id) WHERE into_id IS NOT NULL;

-- +goose StatementBegin
CREATE TRIGGER a_delivery_is_of_a_signal BEFORE INSERT ON delivery
BEGIN
    SELECT CASE
        WHEN NOT EXISTS (SELECT 1 FROM event WHERE id = NEW.event_id AND run_id = NEW.run_id
            AND kind >= 'signal.' AND kind < 'signal/')
        THEN RAISE(ABORT, 'what is delivered is a signal of the log')
        WHEN EXISTS (SELECT 1 FROM delivery WHERE id = NEW.id)
            OR EXISTS (SELECT 1 FROM delivery WHERE event_id = NEW.event_id AND sink = NEW.sink)
        THEN RAISE(ABORT, 'a signal is delivered to a sink once')
    END;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER a_delivery_keeps_its_signal BEFORE UPDATE ON delivery
WHEN NEW.id <> OLD.id OR NEW.sink <> OLD.sink OR NEW.event_id <> OLD.event_id OR NEW.run_id <> OLD.run_id
    OR OLD.state = 'delivered' AND NEW.state <> 'delivered'
BEGIN
    SELECT RAISE(ABORT, 'a delivery keeps its signal and its sink, and what was delivered stays so');
END;
-- +goose StatementEnd

-- What is on its way, for people: one row a delivery, the oldest first.
CREATE VIEW v_outbox AS
SELECT
    d.id AS delivery, d.sink, d.state, d.run_id AS run, substr(e.kind, 8) AS signal, e.id AS event,
    strftime('%Y-%m-%dT%H:%M:%SZ', d.queued_ms / 1000, 'unixepoch') AS queued_at,
    d.attempts,
    CASE WHEN d.state = 'waiting' AND d.tried_ms > 0
        THEN strftime('%Y-%m-%dT%H:%M:%SZ', (d.tried_ms + d.wait_ms) / 1000, 'unixepoch') END AS next_at,
    strftime('%Y-%m-%dT%H:%M:%SZ', d.ended_ms / 1000, 'unixepoch') AS ended_at,
    d.into_id AS in_delivery, d.answer
FROM delivery AS d
JOIN event AS e ON e.id = d.event_id;

PRAGMA user_version = 2;
