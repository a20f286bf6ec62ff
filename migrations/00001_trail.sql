-- The trail: what finished work leaves behind, and the rules that hold whoever
-- writes it. Everything here must parse and run on SQLite 3.40 (Debian 12's
-- shell) and from any client: plain SQL, literal RAISE sentences, no function
-- of ours. Instants are UTC unix milliseconds; order is event.id, never a clock.
--
-- Data moves one way:  step ─trigger▶ event ─trigger▶ cursor
-- so a beat cannot exist without the work's row, and no cursor moves without
-- a row of the log that says why.
--
-- A step passes through all of this, so what it passes is written to be quick:
-- IN with more than two values builds a table each time a trigger fires, so
-- such lists are spelled with OR or as ranges ('step.' up to 'step/' is every
-- kind that begins with step.), INSERT takes VALUES, since SELECT goes by way of
-- a table too, and rules stand together in few triggers. A rule that only
-- compares the old row with the new one stands AFTER the change, which it takes
-- back all the same: for a BEFORE trigger SQLite reads the row twice.

-- +goose Up

-- One row that names this very trail, so that a reader can tell when the file
-- under its path was replaced by another one.
CREATE TABLE trail (
    id         INTEGER NOT NULL PRIMARY KEY CONSTRAINT there_is_one_trail_a_file CHECK (id = 1),
    instance   TEXT    NOT NULL CONSTRAINT an_instance_is_32_hex_digits CHECK (length(instance) = 32),
    created_ms INTEGER NOT NULL
) STRICT;

INSERT INTO trail (id, instance, created_ms)
VALUES (1, lower(hex(randomblob(16))), CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER));

-- Thresholds as they were recorded, each distinct text once.
CREATE TABLE policy (
    id   INTEGER NOT NULL PRIMARY KEY CONSTRAINT policy_ids_count_from_1 CHECK (id >= 1),
    body TEXT    NOT NULL UNIQUE CONSTRAINT a_recorded_policy_is_json CHECK (json_valid(body))
) STRICT;

-- A run as it was declared. Only the epoch may change, by exactly one: that is
-- a takeover. Where the run stands is in cursor.
CREATE TABLE run (
    id         TEXT    NOT NULL PRIMARY KEY,
    family     TEXT    NOT NULL DEFAULT 'default',
    total      INTEGER,
    open       INTEGER NOT NULL DEFAULT 0,
    process    INTEGER NOT NULL DEFAULT 0,
    epoch      INTEGER NOT NULL DEFAULT 1,
    policy     INTEGER REFERENCES policy (id),
    started_ms INTEGER NOT NULL DEFAULT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)),
    CONSTRAINT a_run_id_is_1_to_64_of_a_z_0_9_dot_underscore_dash_and_starts_with_a_letter_or_digit CHECK (
        id GLOB '[a-z0-9]*' AND id NOT GLOB '*[^a-z0-9._-]*'
        AND length(id) <= 64 AND length(CAST(id AS BLOB)) = length(id)),
    CONSTRAINT a_family_is_written_like_a_run_id CHECK (
        family GLOB '[a-z0-9]*' AND family NOT GLOB '*[^a-z0-9._-]*'
        AND length(family) <= 64 AND length(CAST(family AS BLOB)) = length(family)),
    CONSTRAINT a_total_is_not_negative CHECK (total IS NULL OR total >= 0),
    CONSTRAINT open_is_0_or_1 CHECK (open = 0 OR open = 1),
    CONSTRAINT process_is_0_or_1 CHECK (process = 0 OR process = 1),
    CONSTRAINT epochs_count_from_1 CHECK (epoch >= 1)
) STRICT, WITHOUT ROWID;

-- A step is one queue row of a run. The worker writes state, epoch, expect_ms,
-- mark_amount and mark_of, note; the database writes the rest.
CREATE TABLE step (
    run_id         TEXT    NOT NULL REFERENCES run (id),
    pos            INTEGER NOT NULL,
    name           TEXT,
    state          TEXT    NOT NULL DEFAULT 'pending',
    epoch          INTEGER NOT NULL DEFAULT 1,
    attempts       INTEGER NOT NULL DEFAULT 0,
    failures       INTEGER NOT NULL DEFAULT 0,
    expect_ms      INTEGER,
    expect_event   INTEGER,
    expect_at_ms   INTEGER,
    mark_amount    INTEGER,
    mark_of        INTEGER,
    mark_high      INTEGER NOT NULL DEFAULT 0,
    first_begun_ms INTEGER,
    begun_ms       INTEGER,
    finished_ms    INTEGER,
    last_event     INTEGER NOT NULL DEFAULT 0,
    note           TEXT,
    PRIMARY KEY (run_id, pos),
    CONSTRAINT steps_count_from_1 CHECK (pos >= 1),
    CONSTRAINT a_step_name_is_1_to_200_bytes CHECK (name IS NULL OR length(CAST(name AS BLOB)) BETWEEN 1 AND 200),
    CONSTRAINT a_step_is_pending_running_done_failed_skipped_or_cancelled CHECK (
        state = 'done' OR state = 'pending' OR state = 'running' OR state = 'failed'
        OR state = 'skipped' OR state = 'cancelled'),
    CONSTRAINT attempts_are_counted_from_zero CHECK (attempts >= 0 AND failures BETWEEN 0 AND attempts),
    CONSTRAINT a_step_budget_is_positive_and_at_most_100_years CHECK (expect_ms IS NULL OR expect_ms BETWEEN 1 AND 3155760000000),
    CONSTRAINT a_mark_is_between_0_and_its_of CHECK (
        (mark_amount IS NULL AND mark_of IS NULL)
        OR (mark_amount IS NOT NULL AND mark_of IS NOT NULL AND mark_of >= 1 AND mark_amount BETWEEN 0 AND mark_of)),
    CONSTRAINT a_step_note_is_at_most_4096_bytes CHECK (note IS NULL OR length(CAST(note AS BLOB)) <= 4096)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX a_step_name_is_used_once_in_a_run ON step (run_id, name) WHERE name IS NOT NULL;
CREATE INDEX step_with_a_budget ON step (run_id) WHERE expect_ms IS NOT NULL;

-- The append-only log. Its order is its id.
CREATE TABLE event (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms    INTEGER NOT NULL DEFAULT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)),
    run_id   TEXT,
    epoch    INTEGER,
    kind     TEXT    NOT NULL,
    step     INTEGER,
    attempt  INTEGER,
    advance  INTEGER NOT NULL DEFAULT 0,
    position INTEGER,
    total    INTEGER,
    open     INTEGER,
    amount   INTEGER,
    out_of   INTEGER,
    for_ms   INTEGER,
    code     INTEGER,
    signal   INTEGER,
    since    INTEGER,
    source   TEXT    NOT NULL DEFAULT 'worker',
    reason   TEXT,
    who      TEXT,
    data     TEXT,
    CONSTRAINT event_ids_count_from_1 CHECK (id >= 1),
    CONSTRAINT an_event_of_a_run_names_its_epoch CHECK ((run_id IS NULL) = (epoch IS NULL)),
    CONSTRAINT advance_is_0_or_1 CHECK (advance = 0 OR advance = 1),
    CONSTRAINT a_position_is_not_negative CHECK (position IS NULL OR position >= 0),
    CONSTRAINT an_event_total_is_not_negative CHECK (total IS NULL OR total >= 0),
    CONSTRAINT a_length_is_at_most_100_years CHECK (for_ms <= 3155760000000),
    CONSTRAINT an_exit_code_is_0_to_255 CHECK (code IS NULL OR code BETWEEN 0 AND 255),
    CONSTRAINT a_signal_number_is_1_to_127 CHECK (signal IS NULL OR signal BETWEEN 1 AND 127),
    CONSTRAINT a_source_is_worker_wrapper_user_or_monitor CHECK (
        source = 'worker' OR source = 'monitor' OR source = 'wrapper' OR source = 'user'),
    CONSTRAINT a_reason_is_at_most_4096_bytes CHECK (reason IS NULL OR length(CAST(reason AS BLOB)) <= 4096),
    CONSTRAINT a_name_of_who_is_at_most_200_bytes CHECK (who IS NULL OR length(CAST(who AS BLOB)) <= 200),
    CONSTRAINT event_data_is_json_of_at_most_65536_bytes CHECK (
        data IS NULL OR (length(CAST(data AS BLOB)) <= 65536 AND json_valid(data)))
) STRICT;

CREATE INDEX event_of_run ON event (run_id);

-- A signal is the edge of an episode: two monitors, a restart, a crash between
-- any two statements: one row.
CREATE UNIQUE INDEX a_signal_is_said_once_an_episode ON event (run_id, epoch, kind, since)
    WHERE since IS NOT NULL;
-- The time of an epoch runs out once, wherever the cursor is. It may end more
-- than once: a run that was done goes on when its total is raised.
CREATE UNIQUE INDEX the_time_of_an_epoch_runs_out_once ON event (run_id, epoch, kind)
    WHERE since IS NOT NULL AND (kind = 'signal.timeout' OR kind = 'signal.wrap-up');

-- Where a run stands. Kept by triggers from event; a write by hand is refused.
-- Steps below todo are all begun or terminal: a claim starts looking there.
CREATE TABLE cursor (
    run_id         TEXT    NOT NULL PRIMARY KEY REFERENCES run (id),
    epoch          INTEGER NOT NULL DEFAULT 1,
    epoch_event    INTEGER,
    epoch_ms       INTEGER,
    start_event    INTEGER,
    start_ms       INTEGER,
    total          INTEGER,
    open           INTEGER NOT NULL DEFAULT 0,
    process        INTEGER NOT NULL DEFAULT 0,
    position       INTEGER NOT NULL DEFAULT 0,
    terminal       INTEGER NOT NULL DEFAULT 0,
    frontier       INTEGER NOT NULL DEFAULT 0,
    todo           INTEGER NOT NULL DEFAULT 1,
    advance_event  INTEGER,
    advance_ms     INTEGER,
    advance_epoch  INTEGER,
    rows_since     INTEGER NOT NULL DEFAULT 0,
    failed_since   INTEGER NOT NULL DEFAULT 0,
    refused        INTEGER NOT NULL DEFAULT 0,
    observed       INTEGER,
    observed_total INTEGER,
    total_high     INTEGER,
    rise_event     INTEGER,
    full_event     INTEGER,
    full_ms        INTEGER,
    hold_event     INTEGER,
    hold_ms        INTEGER,
    hold_for_ms    INTEGER,
    hold_reason    TEXT,
    hold_end_event INTEGER,
    hold_end_ms    INTEGER,
    spent_ms       INTEGER NOT NULL DEFAULT 0,
    budget_end_event INTEGER,
    budget_end_ms  INTEGER,
    exit_event     INTEGER,
    exit_code      INTEGER,
    exit_signal    INTEGER,
    exit_reason    TEXT,
    asked_by       TEXT,
    cancel_event   INTEGER,
    live           INTEGER NOT NULL DEFAULT 1,
    last_event     INTEGER NOT NULL DEFAULT 0,
    last_ms        INTEGER,
    CONSTRAINT a_cursor_counts_from_zero CHECK (
        position >= 0 AND terminal >= 0 AND frontier >= 0 AND todo >= 1 AND rows_since >= 0 AND failed_since >= 0),
    CONSTRAINT position_never_falls_below_the_terminal_steps_nor_these_below_the_frontier CHECK (frontier <= terminal AND terminal <= position)
) STRICT, WITHOUT ROWID;

CREATE INDEX cursor_alive ON cursor (run_id) WHERE live = 1;

-- The step row that an INSERT is about to meet. An upsert goes on to UPDATE
-- it; a REPLACE, which fires no delete trigger, comes to AFTER INSERT with
-- this note standing, and is refused there.
CREATE TABLE meeting (
    id     INTEGER NOT NULL PRIMARY KEY CONSTRAINT there_is_one_meeting_at_a_time CHECK (id = 1),
    run_id TEXT    NOT NULL,
    pos    INTEGER NOT NULL
) STRICT;

INSERT INTO meeting (id, run_id, pos) VALUES (1, '', 0);

-- What the monitor remembers of a run between looks: the last verdict. It is a
-- cache: what was told, and that a run ended, is read from the log.
CREATE TABLE verdict (
    run_id   TEXT    NOT NULL PRIMARY KEY REFERENCES run (id),
    epoch    INTEGER NOT NULL,
    state    TEXT    NOT NULL,
    reason   TEXT    NOT NULL DEFAULT '',
    since    INTEGER NOT NULL,
    at_ms    INTEGER NOT NULL,
    awake_ms INTEGER NOT NULL,
    seen     INTEGER NOT NULL,
    data     TEXT CONSTRAINT verdict_data_is_json CHECK (data IS NULL OR json_valid(data))
) STRICT, WITHOUT ROWID;

-- Where an event lies on the awake clock. Kept for the events that a silence, a
-- hold, a budget or a grace is counted from, so that another process goes on
-- counting where the last one stopped.
CREATE TABLE landmark (
    event_id INTEGER NOT NULL PRIMARY KEY,
    run_id   TEXT    NOT NULL REFERENCES run (id),
    awake_ms INTEGER NOT NULL CONSTRAINT a_landmark_lies_on_the_awake_clock CHECK (awake_ms >= 0)
) STRICT;

CREATE INDEX landmark_of_run ON landmark (run_id);

-- The awake clock, one row a boot: wall and monotonic readings taken together,
-- first by whoever opened the trail for writing, then at every look. An event
-- with an id above event_id came after that reading.
CREATE TABLE clock (
    boot_id       TEXT    NOT NULL PRIMARY KEY,
    first_wall_ms INTEGER NOT NULL,
    first_mono_ms INTEGER NOT NULL,
    first_event   INTEGER NOT NULL,
    look_wall_ms  INTEGER,
    look_mono_ms  INTEGER,
    look_awake_ms INTEGER,
    look_event    INTEGER,
    CONSTRAINT a_boot_id_is_1_to_64_bytes CHECK (length(CAST(boot_id AS BLOB)) BETWEEN 1 AND 64),
    CONSTRAINT the_clock_counts_from_zero CHECK (first_mono_ms >= 0 AND first_event >= 0
        AND coalesce(look_mono_ms, 0) >= 0 AND coalesce(look_awake_ms, 0) >= 0 AND coalesce(look_event, 0) >= 0)
) STRICT, WITHOUT ROWID;

-- The monitor is watched too: its looks are its cursor.
CREATE TABLE monitor (
    id            TEXT    NOT NULL PRIMARY KEY,
    host          TEXT    NOT NULL,
    pid           INTEGER NOT NULL,
    boot_id       TEXT    NOT NULL,
    started_ms    INTEGER NOT NULL,
    interval_ms   INTEGER NOT NULL,
    late_ms       INTEGER NOT NULL,
    looks         INTEGER NOT NULL DEFAULT 0,
    missed        INTEGER NOT NULL DEFAULT 0,
    last_look_ms  INTEGER NOT NULL,
    last_mono_ms  INTEGER NOT NULL,
    last_event    INTEGER NOT NULL DEFAULT 0,
    blind_ms      INTEGER,
    blind_reason  TEXT,
    stopped_ms    INTEGER,
    CONSTRAINT looks_are_counted_from_zero CHECK (looks >= 0 AND missed >= 0),
    CONSTRAINT an_interval_is_positive CHECK (interval_ms > 0 AND late_ms > 0)
) STRICT, WITHOUT ROWID;

-- A chain of SHA-256 over ranges of the log.
CREATE TABLE seal (
    id          INTEGER NOT NULL PRIMARY KEY CONSTRAINT seal_ids_count_from_1 CHECK (id >= 1),
    first_event INTEGER NOT NULL,
    last_event  INTEGER NOT NULL,
    rows        INTEGER NOT NULL,
    hash        TEXT    NOT NULL,
    at_ms       INTEGER NOT NULL,
    source      TEXT    NOT NULL,
    CONSTRAINT a_seal_covers_a_range CHECK (first_event >= 1 AND last_event >= first_event AND rows >= 1),
    CONSTRAINT a_seal_is_64_hex_digits CHECK (length(hash) = 64)
) STRICT;

-- run ---------------------------------------------------------------------

-- +goose StatementBegin
CREATE TRIGGER a_run_id_is_used_once BEFORE INSERT ON run
WHEN EXISTS (SELECT 1 FROM run WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'a run id is used once: choose another id, or take the run over to continue it');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER a_run_begins_in_epoch_1 BEFORE INSERT ON run
WHEN NEW.epoch <> 1
BEGIN
    SELECT RAISE(ABORT, 'a run begins in epoch 1: each takeover raises it by one');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER run_starts AFTER INSERT ON run
BEGIN
    INSERT INTO cursor (run_id, epoch, total, open, process, live)
    VALUES (NEW.id, NEW.epoch, NEW.total, NEW.open, NEW.process, 1);
    -- All that was declared, so that the log can witness to it.
    INSERT INTO event (at_ms, run_id, epoch, kind, position, total, open, data)
    VALUES (NEW.started_ms, NEW.id, NEW.epoch, 'run.started', 0, NEW.total, NEW.open,
        json_object('family', NEW.family, 'process', NEW.process, 'policy',
            json((SELECT body FROM policy WHERE id = NEW.policy AND length(CAST(body AS BLOB)) <= 60000))));
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER a_run_changes_only_by_takeover BEFORE UPDATE ON run
BEGIN
    SELECT CASE
        WHEN NEW.id <> OLD.id OR NEW.family <> OLD.family OR NEW.total IS NOT OLD.total
            OR NEW.open <> OLD.open OR NEW.process <> OLD.process OR NEW.policy IS NOT OLD.policy
            OR NEW.started_ms <> OLD.started_ms
        THEN RAISE(ABORT, 'a run keeps what it was declared with: a new total is an event of kind run.total')
        WHEN NEW.epoch <> OLD.epoch + 1
        THEN RAISE(ABORT, 'a takeover raises the epoch by exactly one')
        WHEN (SELECT cancel_event FROM cursor WHERE run_id = OLD.id) IS NOT NULL
        THEN RAISE(ABORT, 'a cancelled run is not continued')
    END;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER run_is_taken_over AFTER UPDATE OF epoch ON run
BEGIN
    INSERT INTO event (run_id, epoch, kind) VALUES (NEW.id, NEW.epoch, 'run.takeover');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER a_run_is_never_deleted BEFORE DELETE ON run
BEGIN
    SELECT RAISE(ABORT, 'a run is never deleted');
END;
-- +goose StatementEnd

-- step --------------------------------------------------------------------

-- +goose StatementBegin
CREATE TRIGGER a_step_is_inserted_by_the_rules BEFORE INSERT ON step
BEGIN
    SELECT CASE
        WHEN c.run_id IS NULL
        THEN RAISE(ABORT, 'no such run: a step belongs to a run')
        WHEN NEW.epoch <> c.epoch
        THEN RAISE(ABORT, 'fenced: another epoch holds this run, this worker was replaced and must stop')
        WHEN c.cancel_event IS NOT NULL
        THEN RAISE(ABORT, 'a cancelled run takes no more steps')
        WHEN c.open = 0 AND NEW.pos > c.total
        THEN RAISE(ABORT, 'a step beyond a closed total is refused')
        WHEN s.finished_ms IS NOT NULL
        THEN RAISE(ABORT, 'a terminal step never changes again')
        -- REPLACE would take the row that has the name away.
        WHEN NEW.name IS NOT NULL AND EXISTS (
            SELECT 1 FROM step WHERE run_id = NEW.run_id AND name = NEW.name AND pos <> NEW.pos)
        THEN RAISE(ABORT, 'a step name is used once in a run')
        WHEN NEW.attempts <> 0 OR NEW.failures <> 0 OR NEW.mark_high <> 0 OR NEW.first_begun_ms IS NOT NULL
            OR NEW.begun_ms IS NOT NULL OR NEW.finished_ms IS NOT NULL OR NEW.expect_event IS NOT NULL
            OR NEW.expect_at_ms IS NOT NULL OR NEW.last_event <> 0
        THEN RAISE(ABORT, 'attempts, marks high and stamps of a step are written by the database')
    END
    FROM (SELECT 1) AS one
    LEFT JOIN cursor AS c ON c.run_id = NEW.run_id
    LEFT JOIN step AS s ON s.run_id = NEW.run_id AND s.pos = NEW.pos;
    UPDATE meeting SET run_id = NEW.run_id, pos = NEW.pos
    WHERE EXISTS (SELECT 1 FROM step WHERE run_id = NEW.run_id AND pos = NEW.pos);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER a_step_is_met_as_it_is AFTER INSERT ON step
BEGIN
    SELECT RAISE(ABORT, 'a step row is never replaced: UPDATE it')
    FROM meeting WHERE run_id = NEW.run_id AND pos = NEW.pos;
    -- A mark belongs inside the attempt: after it began, before it ended.
    UPDATE step SET state = NEW.state
    WHERE NEW.state = 'running' AND run_id = NEW.run_id AND pos = NEW.pos;
    UPDATE step SET mark_amount = NEW.mark_amount
    WHERE NEW.mark_amount IS NOT NULL AND run_id = NEW.run_id AND pos = NEW.pos;
    UPDATE step SET state = NEW.state
    WHERE NEW.state <> 'pending' AND NEW.state <> 'running' AND run_id = NEW.run_id AND pos = NEW.pos;
END;
-- +goose StatementEnd

-- The beat: the same transaction that flips the row appends the event. The
-- second statement stamps the row, and by that tells the event's guard that
-- this flip has been counted.
-- +goose StatementBegin
CREATE TRIGGER step_flips AFTER UPDATE OF state ON step
WHEN NEW.state <> 'pending'
BEGIN
    INSERT INTO event (run_id, epoch, kind, step, attempt, advance, position, total, for_ms, reason)
    VALUES (NEW.run_id, NEW.epoch,
        CASE NEW.state WHEN 'running' THEN 'step.begun' ELSE 'step.' || NEW.state END,
        NEW.pos,
        -- Who fails again without having begun again tried again all the same.
        OLD.attempts + (NEW.state = 'running' OR OLD.attempts = 0 OR NEW.state = 'failed' AND OLD.state <> 'running'),
        NEW.state <> 'running' AND NEW.state <> 'failed'
            AND (SELECT terminal >= position FROM cursor WHERE run_id = NEW.run_id),
        (SELECT max(position, terminal + (NEW.state <> 'running' AND NEW.state <> 'failed'))
            FROM cursor WHERE run_id = NEW.run_id),
        (SELECT total FROM cursor WHERE run_id = NEW.run_id),
        CASE
            WHEN NEW.state = 'running' THEN NEW.expect_ms
            -- The budget of a worker that was replaced ended with its epoch.
            WHEN OLD.state = 'running' AND OLD.expect_event IS NOT NULL
                AND OLD.expect_event >= (SELECT epoch_event FROM cursor WHERE run_id = NEW.run_id) THEN
                max(0, min(OLD.expect_ms, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) - OLD.expect_at_ms))
        END,
        CASE WHEN NEW.note IS NOT OLD.note OR NEW.state = 'failed' THEN NEW.note END);
    UPDATE step SET
        attempts = attempts + (NEW.state = 'running' OR OLD.attempts = 0 OR NEW.state = 'failed' AND OLD.state <> 'running'),
        failures = failures + (NEW.state = 'failed'),
        first_begun_ms = coalesce(first_begun_ms, CASE WHEN NEW.state = 'running' THEN CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) END),
        begun_ms = CASE WHEN NEW.state = 'running' THEN CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) ELSE begun_ms END,
        finished_ms = CASE WHEN NEW.state <> 'running' AND NEW.state <> 'failed' THEN CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) END,
        -- A budget is counted from where it was declared. To begin again without
        -- an advance neither renews nor ends it, unless another worker does.
        expect_event = CASE
            WHEN NEW.state <> 'running' THEN NULL
            WHEN OLD.state = 'running' AND OLD.expect_event IS NOT NULL
                AND OLD.expect_event >= (SELECT epoch_event FROM cursor WHERE run_id = NEW.run_id)
                AND (NEW.expect_ms IS NULL OR OLD.expect_event > coalesce((SELECT advance_event FROM cursor WHERE run_id = NEW.run_id), 0)) THEN OLD.expect_event
            WHEN NEW.expect_ms IS NOT NULL THEN last_insert_rowid() END,
        expect_at_ms = CASE
            WHEN NEW.state <> 'running' THEN NULL
            WHEN OLD.state = 'running' AND OLD.expect_event IS NOT NULL
                AND OLD.expect_event >= (SELECT epoch_event FROM cursor WHERE run_id = NEW.run_id)
                AND (NEW.expect_ms IS NULL OR OLD.expect_event > coalesce((SELECT advance_event FROM cursor WHERE run_id = NEW.run_id), 0)) THEN OLD.expect_at_ms
            WHEN NEW.expect_ms IS NOT NULL THEN CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) END,
        expect_ms = CASE
            WHEN NEW.state <> 'running' THEN NULL
            WHEN OLD.state = 'running' AND OLD.expect_event IS NOT NULL
                AND OLD.expect_event >= (SELECT epoch_event FROM cursor WHERE run_id = NEW.run_id)
                AND (NEW.expect_ms IS NULL OR OLD.expect_event > coalesce((SELECT advance_event FROM cursor WHERE run_id = NEW.run_id), 0)) THEN OLD.expect_ms
            ELSE NEW.expect_ms END,
        last_event = last_insert_rowid()
    WHERE run_id = NEW.run_id AND pos = NEW.pos;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER a_step_keeps_its_place BEFORE UPDATE OF run_id, pos ON step
WHEN NEW.run_id <> OLD.run_id OR NEW.pos <> OLD.pos
BEGIN
    SELECT RAISE(ABORT, 'a step keeps its run and its number');
END;
-- +goose StatementEnd

-- Made after step_flips, and so fired before it: then the sentence is the
-- plainest. In the other order the flip is refused all the same.
-- +goose StatementBegin
CREATE TRIGGER a_step_is_updated_by_the_rules AFTER UPDATE OF name, state, epoch, expect_ms, mark_amount, mark_of, note ON step
BEGIN
    SELECT CASE
        WHEN NEW.epoch <> c.epoch
        THEN RAISE(ABORT, 'fenced: another epoch holds this run, this worker was replaced and must stop')
        WHEN OLD.finished_ms IS NOT NULL
        THEN RAISE(ABORT, 'a terminal step never changes again')
        WHEN c.cancel_event IS NOT NULL
        THEN RAISE(ABORT, 'a cancelled run takes no more steps')
        WHEN c.open = 0 AND NEW.pos > c.total
        THEN RAISE(ABORT, 'a step beyond a closed total is refused')
        WHEN NEW.state = 'pending' AND OLD.state <> 'pending'
        THEN RAISE(ABORT, 'a step never goes back to pending')
        WHEN OLD.mark_of IS NOT NULL AND NEW.mark_of IS NOT OLD.mark_of
        THEN RAISE(ABORT, 'the first mark of a step fixes what it counts to')
        WHEN OLD.name IS NOT NULL AND NEW.name IS NOT OLD.name
        THEN RAISE(ABORT, 'a step keeps its name')
        WHEN NEW.name IS NOT OLD.name AND EXISTS (
            SELECT 1 FROM step WHERE run_id = NEW.run_id AND name = NEW.name AND pos <> NEW.pos)
        THEN RAISE(ABORT, 'a step name is used once in a run')
    END
    FROM cursor AS c WHERE c.run_id = OLD.run_id;
END;
-- +goose StatementEnd

-- Each stamping consumes a new row of the log, so a stamp by hand finds none left.
-- +goose StatementBegin
CREATE TRIGGER a_step_is_stamped_by_the_database AFTER UPDATE OF attempts, failures, expect_event, expect_at_ms, mark_high,
    first_begun_ms, begun_ms, finished_ms, last_event ON step
WHEN OLD.finished_ms IS NOT NULL OR NEW.last_event <= OLD.last_event
    OR NEW.last_event IS NOT (SELECT last_event FROM cursor WHERE run_id = OLD.run_id)
BEGIN
    SELECT RAISE(ABORT, 'attempts, marks high and stamps of a step are written by the database');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER step_is_marked AFTER UPDATE OF mark_amount ON step
WHEN NEW.mark_amount IS NOT NULL AND NEW.state <> 'done' AND NEW.state <> 'skipped' AND NEW.state <> 'cancelled'
BEGIN
    INSERT INTO event (run_id, epoch, kind, step, attempt, advance, position, total, amount, out_of)
    VALUES (NEW.run_id, NEW.epoch, 'step.marked', NEW.pos, NEW.attempts, NEW.mark_amount > NEW.mark_high,
        (SELECT position FROM cursor WHERE run_id = NEW.run_id), (SELECT total FROM cursor WHERE run_id = NEW.run_id),
        NEW.mark_amount, NEW.mark_of);
    UPDATE step SET mark_high = max(mark_high, NEW.mark_amount), last_event = last_insert_rowid()
    WHERE run_id = NEW.run_id AND pos = NEW.pos;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER a_step_is_never_deleted BEFORE DELETE ON step
BEGIN
    SELECT RAISE(ABORT, 'a step is never deleted: skip it or cancel it');
END;
-- +goose StatementEnd

-- A note of a row that is there is true for ever, since no step goes away, and
-- a REPLACE leaves its own; so these notes are harmless, and no others are taken.
-- +goose StatementBegin
CREATE TRIGGER a_meeting_is_with_a_step_that_is_there BEFORE UPDATE ON meeting
WHEN (NEW.run_id <> OLD.run_id OR NEW.pos <> OLD.pos)
    AND NOT EXISTS (SELECT 1 FROM step WHERE run_id = NEW.run_id AND pos = NEW.pos)
BEGIN
    SELECT RAISE(ABORT, 'meeting is kept by the database');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER a_meeting_is_not_given_up BEFORE DELETE ON meeting
BEGIN
    SELECT RAISE(ABORT, 'meeting is kept by the database');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER a_meeting_is_not_made BEFORE INSERT ON meeting
BEGIN
    SELECT RAISE(ABORT, 'meeting is kept by the database');
END;
-- +goose StatementEnd

-- event -------------------------------------------------------------------

-- +goose StatementBegin
CREATE TRIGGER the_log_is_append_only_no_update BEFORE UPDATE ON event
BEGIN
    SELECT RAISE(ABORT, 'the log is append-only: an event is never changed');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER the_log_is_append_only_no_delete BEFORE DELETE ON event
BEGIN
    SELECT RAISE(ABORT, 'the log is append-only: an event is never deleted');
END;
-- +goose StatementEnd

-- NEW.id is -1 here when the statement gave none.
-- +goose StatementBegin
CREATE TRIGGER an_event_follows_the_rules BEFORE INSERT ON event
BEGIN
    SELECT CASE
        WHEN NEW.id <> -1 AND NEW.id <> 1 + max(coalesce((SELECT max(id) FROM event), 0),
            coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'event'), 0))
        THEN RAISE(ABORT, 'event ids are given by the database and never come back')
        WHEN NOT (
            NEW.kind = 'step.done' OR NEW.kind = 'step.begun' OR NEW.kind = 'step.marked' OR NEW.kind = 'step.failed'
            OR NEW.kind = 'step.skipped' OR NEW.kind = 'step.cancelled'
            OR NEW.kind = 'run.started' OR NEW.kind = 'run.total' OR NEW.kind = 'run.takeover'
            OR NEW.kind = 'run.exited' OR NEW.kind = 'run.cancelled' OR NEW.kind = 'run.stopped'
            OR NEW.kind = 'run.continued' OR NEW.kind = 'run.stop' OR NEW.kind = 'run.adopted'
            OR NEW.kind = 'cursor' OR NEW.kind = 'hold' OR NEW.kind = 'resume' OR NEW.kind = 'refused'
            OR NEW.kind = 'note' OR NEW.kind = 'review.accepted' OR NEW.kind = 'review.rejected'
            OR NEW.kind = 'evidence' OR NEW.kind = 'monitor.blind' OR NEW.kind = 'monitor.sighted' OR NEW.kind = 'pinged'
            OR NEW.kind = 'signal.stalled' OR NEW.kind = 'signal.escalated' OR NEW.kind = 'signal.recovered'
            OR NEW.kind = 'signal.respawned' OR NEW.kind = 'signal.gave-up' OR NEW.kind = 'signal.wrap-up'
            OR NEW.kind = 'signal.done' OR NEW.kind = 'signal.failed' OR NEW.kind = 'signal.timeout'
            OR NEW.kind = 'signal.cancelled')
        THEN RAISE(ABORT, 'an event is of a known kind')
        WHEN CASE
            WHEN NEW.kind >= 'signal.' AND NEW.kind < 'signal/' THEN NEW.since IS NULL OR NEW.run_id IS NULL
            WHEN NEW.kind = 'pinged' THEN NEW.since IS NULL OR NEW.run_id IS NULL
            ELSE NEW.since IS NOT NULL
                OR NEW.run_id IS NULL AND NEW.kind <> 'monitor.blind' AND NEW.kind <> 'monitor.sighted' AND NEW.kind <> 'note' END
        THEN RAISE(ABORT, 'a signal, and nothing else, names its run and the event of the last advance in since')
        -- The unique indexes say the same, but REPLACE would take the old row away.
        WHEN NEW.since IS NOT NULL AND (
            EXISTS (SELECT 1 FROM event WHERE run_id = NEW.run_id AND epoch = NEW.epoch AND kind = NEW.kind AND since = NEW.since)
            OR (NEW.kind = 'signal.timeout' OR NEW.kind = 'signal.wrap-up')
            AND EXISTS (SELECT 1 FROM event WHERE run_id = NEW.run_id AND epoch = NEW.epoch AND kind = NEW.kind AND since IS NOT NULL))
        THEN RAISE(ABORT, 'a signal is said once an episode')
    END;

    -- Of a step.
    SELECT CASE
        WHEN NEW.source = 'monitor'
        THEN RAISE(ABORT, 'a monitor never writes a step')
        WHEN s.pos IS NULL
        THEN RAISE(ABORT, 'a step event matches its step row: there is no such step')
        WHEN NEW.epoch <> c.epoch
        THEN RAISE(ABORT, 'fenced: another epoch holds this run, this worker was replaced and must stop')
        WHEN c.cancel_event IS NOT NULL
        THEN RAISE(ABORT, 'a cancelled run takes no more steps')
        WHEN NEW.kind = 'step.marked'
        THEN CASE
            WHEN s.mark_amount IS NOT NEW.amount OR s.mark_of IS NOT NEW.out_of OR s.finished_ms IS NOT NULL
            THEN RAISE(ABORT, 'a step event matches its step row: the mark differs')
            WHEN NEW.advance <> (NEW.amount > s.mark_high)
            THEN RAISE(ABORT, 'whether a row is an advance is said by the database')
            WHEN NEW.position <> c.position OR NEW.total IS NOT NULL AND NEW.total IS NOT c.total
            THEN RAISE(ABORT, 'where a run stands is said by the database')
        END
        WHEN NEW.kind = 'step.begun' AND s.state <> 'running' OR NEW.kind <> 'step.begun' AND 'step.' || s.state <> NEW.kind
        THEN RAISE(ABORT, 'a step event matches its step row: the state differs')
        -- A flip's own event meets its row with the budget still on it.
        WHEN NEW.for_ms IS NOT NULL AND NEW.kind <> 'step.begun' AND s.expect_at_ms IS NULL
        THEN RAISE(ABORT, 'what a budget has used is said by the database')
        WHEN NEW.advance <> (NEW.kind <> 'step.begun' AND NEW.kind <> 'step.failed'
            AND s.finished_ms IS NULL AND c.terminal >= c.position)
        THEN RAISE(ABORT, 'whether a row is an advance is said by the database')
        WHEN NEW.advance = 0 AND (NEW.position <> c.position OR NEW.total IS NOT NULL AND NEW.total IS NOT c.total)
        THEN RAISE(ABORT, 'where a run stands is said by the database')
    END
    FROM (SELECT 1) AS one
    LEFT JOIN step AS s ON s.run_id = NEW.run_id AND s.pos = NEW.step
    LEFT JOIN cursor AS c ON c.run_id = NEW.run_id
    WHERE NEW.kind >= 'step.' AND NEW.kind < 'step/';

    -- Of a run.
    SELECT CASE
        WHEN c.run_id IS NULL
        THEN RAISE(ABORT, 'no such run: an event belongs to a run')
        WHEN NEW.advance <> 0
        THEN RAISE(ABORT, 'whether a row is an advance is said by the database')
        WHEN NEW.kind <> 'cursor' AND (NEW.position <> c.position
            OR NEW.kind <> 'run.total' AND NEW.total IS NOT NULL AND NEW.total IS NOT c.total)
        THEN RAISE(ABORT, 'where a run stands is said by the database')
        WHEN NEW.kind = 'refused'
        THEN NULL
        -- A signal, or a ping. What is said of an episode is said while it
        -- lasts, and once: a row that comes too early would silence the true one.
        WHEN NEW.since IS NOT NULL
        THEN CASE
            WHEN NEW.source = 'worker'
            THEN RAISE(ABORT, 'a worker never signals: only its steps speak for it')
            WHEN NEW.source <> 'monitor' AND NEW.source <> 'wrapper'
            THEN RAISE(ABORT, 'only a monitor and a wrapper signal')
            WHEN NEW.kind = 'signal.recovered'
            THEN CASE
                WHEN NEW.epoch > c.epoch
                THEN RAISE(ABORT, 'a signal names an epoch that was')
                WHEN coalesce(c.advance_event, 0) <= NEW.since OR NOT EXISTS (SELECT 1 FROM event
                    WHERE run_id = NEW.run_id AND epoch = NEW.epoch AND kind = 'signal.stalled' AND since = NEW.since)
                THEN RAISE(ABORT, 'recovered answers a stalled, by an advance')
            END
            WHEN NEW.epoch <> c.epoch AND NEW.source = 'wrapper'
            THEN RAISE(ABORT, 'fenced: another epoch holds this run, this worker was replaced and must stop')
            WHEN NEW.epoch <> c.epoch
            THEN RAISE(ABORT, 'a signal names the epoch that holds its run')
            WHEN NEW.since <> coalesce(c.advance_event, c.start_event)
            THEN RAISE(ABORT, 'a signal names the event of the last advance, or of the start of its run, in since')
            WHEN (NEW.kind = 'signal.stalled' OR NEW.kind = 'signal.escalated' OR NEW.kind = 'pinged'
                OR NEW.kind = 'signal.timeout' OR NEW.kind = 'signal.wrap-up') AND c.live = 0
            THEN RAISE(ABORT, 'of a run that is over its end is told, and nothing else')
            WHEN NEW.kind = 'signal.escalated' AND NOT EXISTS (SELECT 1 FROM event
                WHERE run_id = NEW.run_id AND epoch = NEW.epoch AND kind = 'signal.stalled' AND since = NEW.since)
            THEN RAISE(ABORT, 'escalated follows a stalled of the same episode')
            WHEN NEW.kind = 'signal.respawned' AND c.epoch_event = c.start_event
            THEN RAISE(ABORT, 'respawned follows a takeover')
            WHEN NEW.kind = 'signal.gave-up' AND c.exit_event IS NULL AND NOT EXISTS (SELECT 1 FROM event
                WHERE run_id = NEW.run_id AND epoch = NEW.epoch AND kind = 'signal.failed' AND since = NEW.since)
            THEN RAISE(ABORT, 'gave-up follows an exit, or a failed')
            -- The end of a process may be known by its files alone.
            WHEN NEW.kind = 'signal.done' AND (c.total > c.position OR c.observed_total > c.position)
            THEN RAISE(ABORT, 'a run is done at its full position')
            WHEN (NEW.kind = 'signal.done' OR NEW.kind = 'signal.failed' OR NEW.kind = 'signal.cancelled')
                AND c.process = 0 AND c.exit_event IS NULL AND c.cancel_event IS NULL
                AND NOT (NEW.kind = 'signal.done' AND c.open = 0 AND (c.total IS NOT NULL OR coalesce(c.observed_total >= c.position, 0)))
            THEN RAISE(ABORT, 'a run without a process ends by a row of its own')
        END
        WHEN NEW.source = 'monitor'
        THEN CASE
            WHEN NOT (NEW.kind = 'note' OR NEW.kind = 'evidence' OR NEW.kind = 'run.stopped' OR NEW.kind = 'run.continued')
            THEN RAISE(ABORT, 'a monitor never moves a cursor')
            WHEN NEW.epoch > c.epoch
            THEN RAISE(ABORT, 'a monitor names an epoch that was')
        END
        WHEN NEW.kind = 'run.takeover'
        THEN CASE
            WHEN NEW.epoch <> c.epoch + 1 OR NEW.epoch <> (SELECT epoch FROM run WHERE id = NEW.run_id)
            THEN RAISE(ABORT, 'a takeover is an UPDATE of run.epoch')
        END
        WHEN NEW.epoch <> c.epoch
        THEN RAISE(ABORT, 'fenced: another epoch holds this run, this worker was replaced and must stop')
        WHEN NEW.kind = 'run.started' AND c.start_event IS NOT NULL
        THEN RAISE(ABORT, 'a run starts once')
        WHEN c.cancel_event IS NOT NULL AND (NEW.kind = 'run.total' OR NEW.kind = 'cursor' OR NEW.kind = 'hold'
            OR NEW.kind = 'resume' OR NEW.kind = 'run.cancelled')
        THEN RAISE(ABORT, 'a cancelled run takes no more steps')
        WHEN NEW.kind = 'run.total' AND NEW.open IS NULL
        THEN RAISE(ABORT, 'a changed total says whether it is open: 0 or 1')
        WHEN NEW.kind = 'run.total' AND NEW.open <> 0 AND NEW.open <> 1
        THEN RAISE(ABORT, 'a changed total says whether it is open: 0 or 1')
        WHEN NEW.kind = 'run.total' AND NEW.total < c.position
        THEN RAISE(ABORT, 'a total never falls below the position')
        WHEN NEW.kind = 'run.total' AND NEW.open = 0 AND EXISTS (
            SELECT 1 FROM step WHERE run_id = NEW.run_id AND pos > NEW.total AND finished_ms IS NOT NULL)
        THEN RAISE(ABORT, 'a total never falls below a finished step')
        WHEN NEW.kind = 'cursor' AND NEW.position IS NULL
        THEN RAISE(ABORT, 'an observed cursor has a position')
        WHEN NEW.kind = 'hold' AND coalesce(NEW.for_ms, 0) <= 0
        THEN RAISE(ABORT, 'a hold has a limit: for_ms')
        WHEN NEW.kind = 'run.exited' AND (c.exit_event IS NOT NULL OR c.cancel_event IS NOT NULL)
        THEN RAISE(ABORT, 'an epoch ends once')
        WHEN NEW.kind = 'run.exited' AND (NEW.code IS NOT NULL) + (NEW.signal IS NOT NULL)
            + (coalesce(NEW.reason, '') IN ('spawn', 'malformed')) <> 1
        THEN RAISE(ABORT, 'an exit names a code, a signal, or the reason spawn or malformed')
    END
    FROM (SELECT 1) AS one
    LEFT JOIN cursor AS c ON c.run_id = NEW.run_id
    WHERE NEW.run_id IS NOT NULL AND NOT (NEW.kind >= 'step.' AND NEW.kind < 'step/');
END;
-- +goose StatementEnd

-- The cursor moves -----------------------------------------------------------

-- Each event moves it by one UPDATE, and by a second when it makes a run be
-- over that no exit record will end.
-- +goose StatementBegin
CREATE TRIGGER an_event_moves_the_cursor AFTER INSERT ON event
BEGIN
    UPDATE cursor SET
        last_event = NEW.id,
        last_ms = NEW.at_ms,
        -- Only the event that a flip appends meets its row without a stamp.
        terminal = terminal + CASE
            WHEN NEW.kind = 'step.marked' OR NEW.kind = 'step.begun' OR NEW.kind = 'step.failed' THEN 0
            WHEN NEW.advance THEN 1
            ELSE (SELECT finished_ms IS NULL FROM step WHERE run_id = NEW.run_id AND pos = NEW.step) END,
        position = position + (NEW.advance AND NEW.kind <> 'step.marked'),
        frontier = CASE
            WHEN NEW.step = frontier + 1 AND NEW.kind <> 'step.marked' AND NEW.kind <> 'step.begun' AND NEW.kind <> 'step.failed'
            THEN CASE
                WHEN (SELECT finished_ms FROM step WHERE run_id = NEW.run_id AND pos = NEW.step + 1) IS NULL
                THEN NEW.step
                ELSE (SELECT s.pos FROM step AS s
                    WHERE s.run_id = NEW.run_id AND s.pos > NEW.step
                        AND NOT EXISTS (SELECT 1 FROM step AS n WHERE n.run_id = s.run_id AND n.pos = s.pos + 1
                            AND n.finished_ms IS NOT NULL)
                    ORDER BY s.pos LIMIT 1) END
            ELSE frontier END,
        todo = CASE
            WHEN NEW.kind = 'step.failed' THEN min(todo, NEW.step)
            WHEN NEW.step = todo AND NEW.kind <> 'step.marked' THEN todo + 1
            ELSE todo END,
        advance_event = CASE WHEN NEW.advance THEN NEW.id ELSE advance_event END,
        advance_ms = CASE WHEN NEW.advance THEN NEW.at_ms ELSE advance_ms END,
        advance_epoch = CASE WHEN NEW.advance THEN NEW.epoch ELSE advance_epoch END,
        rows_since = CASE WHEN NEW.advance THEN 0 ELSE rows_since + 1 END,
        failed_since = CASE WHEN NEW.advance THEN 0 ELSE failed_since + (NEW.kind = 'step.failed') END,
        -- What a step used of its budget. An advance answers for it: it costs
        -- nothing of hold_cap, or a run of many long steps would use that up.
        spent_ms = spent_ms + CASE WHEN NEW.kind <> 'step.begun' AND NOT NEW.advance THEN coalesce(NEW.for_ms, 0) ELSE 0 END,
        budget_end_event = CASE WHEN NEW.kind <> 'step.begun' AND NEW.for_ms IS NOT NULL THEN NEW.id ELSE budget_end_event END,
        budget_end_ms = CASE WHEN NEW.kind <> 'step.begun' AND NEW.for_ms IS NOT NULL THEN
            -- Not later than its own limit: a step that fails after its budget
            -- ran out does not put off a verdict.
            min(NEW.at_ms, coalesce((SELECT expect_at_ms + NEW.for_ms FROM step WHERE run_id = NEW.run_id AND pos = NEW.step), NEW.at_ms))
            ELSE budget_end_ms END,
        full_event = CASE WHEN full_event IS NULL AND position + (NEW.advance AND NEW.kind <> 'step.marked') >= total THEN NEW.id ELSE full_event END,
        full_ms = CASE WHEN full_event IS NULL AND position + (NEW.advance AND NEW.kind <> 'step.marked') >= total THEN NEW.at_ms ELSE full_ms END
    WHERE NEW.kind >= 'step.' AND NEW.kind < 'step/' AND run_id = NEW.run_id;
    UPDATE cursor SET live = 0
    WHERE NEW.advance AND NEW.position >= NEW.total AND run_id = NEW.run_id
        AND live = 1 AND process = 0 AND open = 0 AND position >= total;

    UPDATE cursor SET
        last_event = NEW.id,
        last_ms = NEW.at_ms,
        start_event = CASE NEW.kind WHEN 'run.started' THEN NEW.id ELSE start_event END,
        start_ms = CASE NEW.kind WHEN 'run.started' THEN NEW.at_ms ELSE start_ms END,
        epoch = CASE NEW.kind WHEN 'refused' THEN epoch ELSE NEW.epoch END,
        epoch_event = CASE WHEN NEW.kind IN ('run.started', 'run.takeover') THEN NEW.id ELSE epoch_event END,
        epoch_ms = CASE WHEN NEW.kind IN ('run.started', 'run.takeover') THEN NEW.at_ms ELSE epoch_ms END,
        -- What a replaced worker left running may be claimed again.
        todo = CASE NEW.kind WHEN 'run.takeover' THEN frontier + 1 ELSE todo END,
        total = CASE NEW.kind WHEN 'run.total' THEN NEW.total ELSE total END,
        open = CASE NEW.kind WHEN 'run.total' THEN NEW.open ELSE open END,
        rise_event = CASE WHEN NEW.kind = 'run.total' AND NEW.total > total THEN NEW.id
            WHEN NEW.kind = 'cursor' AND NEW.total > observed_total THEN NEW.id ELSE rise_event END,
        rows_since = CASE
            WHEN NEW.kind = 'cursor' AND NEW.position > position THEN 0
            WHEN NEW.kind IN ('cursor', 'run.total') THEN rows_since + 1
            ELSE rows_since END,
        failed_since = CASE WHEN NEW.kind = 'cursor' AND NEW.position > position THEN 0 ELSE failed_since END,
        advance_event = CASE WHEN NEW.kind = 'cursor' AND NEW.position > position THEN NEW.id ELSE advance_event END,
        advance_ms = CASE WHEN NEW.kind = 'cursor' AND NEW.position > position THEN NEW.at_ms ELSE advance_ms END,
        advance_epoch = CASE WHEN NEW.kind = 'cursor' AND NEW.position > position THEN NEW.epoch ELSE advance_epoch END,
        position = CASE NEW.kind WHEN 'cursor' THEN max(position, NEW.position) ELSE position END,
        observed = CASE NEW.kind WHEN 'cursor' THEN NEW.position ELSE observed END,
        observed_total = CASE NEW.kind WHEN 'cursor' THEN coalesce(NEW.total, observed_total) ELSE observed_total END,
        total_high = CASE NEW.kind WHEN 'cursor' THEN coalesce(max(total_high, NEW.total), NEW.total, total_high) ELSE total_high END,
        refused = refused + (NEW.kind = 'refused'),
        -- One hold at a time: another hold, a resume or a takeover ends the one
        -- before, and what it used is charged to the cap of the run.
        spent_ms = spent_ms + CASE WHEN NEW.kind IN ('hold', 'resume', 'run.takeover') AND hold_event IS NOT NULL AND hold_end_event IS NULL
            THEN max(0, min(hold_for_ms, NEW.at_ms - hold_ms)) ELSE 0 END,
        hold_end_event = CASE
            WHEN NEW.kind = 'hold' THEN NULL
            WHEN NEW.kind IN ('resume', 'run.takeover') AND hold_event IS NOT NULL THEN coalesce(hold_end_event, NEW.id)
            ELSE hold_end_event END,
        hold_end_ms = CASE
            WHEN NEW.kind = 'hold' THEN NULL
            WHEN NEW.kind IN ('resume', 'run.takeover') AND hold_event IS NOT NULL THEN coalesce(hold_end_ms, NEW.at_ms)
            ELSE hold_end_ms END,
        hold_event = CASE NEW.kind WHEN 'hold' THEN NEW.id ELSE hold_event END,
        hold_ms = CASE NEW.kind WHEN 'hold' THEN NEW.at_ms ELSE hold_ms END,
        hold_for_ms = CASE NEW.kind WHEN 'hold' THEN NEW.for_ms ELSE hold_for_ms END,
        hold_reason = CASE NEW.kind WHEN 'hold' THEN NEW.reason ELSE hold_reason END,
        exit_event = CASE NEW.kind WHEN 'run.exited' THEN NEW.id WHEN 'run.takeover' THEN NULL ELSE exit_event END,
        exit_code = CASE NEW.kind WHEN 'run.exited' THEN NEW.code WHEN 'run.takeover' THEN NULL ELSE exit_code END,
        exit_signal = CASE NEW.kind WHEN 'run.exited' THEN NEW.signal WHEN 'run.takeover' THEN NULL ELSE exit_signal END,
        exit_reason = CASE NEW.kind WHEN 'run.exited' THEN NEW.reason WHEN 'run.takeover' THEN NULL ELSE exit_reason END,
        asked_by = CASE NEW.kind WHEN 'run.exited' THEN NEW.who WHEN 'run.cancelled' THEN NEW.who WHEN 'run.takeover' THEN NULL ELSE asked_by END,
        cancel_event = CASE NEW.kind WHEN 'run.cancelled' THEN NEW.id ELSE cancel_event END,
        -- What follows from the position and the bound together.
        full_event = CASE
            WHEN max(position, CASE NEW.kind WHEN 'cursor' THEN NEW.position ELSE 0 END)
                >= CASE NEW.kind WHEN 'run.total' THEN NEW.total ELSE total END THEN coalesce(full_event, NEW.id) END,
        full_ms = CASE
            WHEN max(position, CASE NEW.kind WHEN 'cursor' THEN NEW.position ELSE 0 END)
                >= CASE NEW.kind WHEN 'run.total' THEN NEW.total ELSE total END THEN coalesce(full_ms, NEW.at_ms) END,
        live = CASE
            WHEN cancel_event IS NOT NULL OR NEW.kind IN ('run.cancelled', 'run.exited') THEN 0
            WHEN exit_event IS NOT NULL AND NEW.kind <> 'run.takeover' THEN 0
            WHEN process = 0 AND CASE NEW.kind WHEN 'run.total' THEN NEW.open ELSE open END = 0
                AND max(position, CASE NEW.kind WHEN 'cursor' THEN NEW.position ELSE 0 END)
                    >= CASE NEW.kind WHEN 'run.total' THEN NEW.total ELSE total END THEN 0
            ELSE 1 END
    WHERE NEW.run_id IS NOT NULL AND NEW.source <> 'monitor' AND run_id = NEW.run_id
        AND NOT (NEW.kind >= 'step.' AND NEW.kind < 'step/') AND NOT (NEW.kind >= 'signal.' AND NEW.kind < 'signal/');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER a_cursor_begins_with_its_run BEFORE INSERT ON cursor
BEGIN
    SELECT CASE
        WHEN EXISTS (SELECT 1 FROM cursor WHERE run_id = NEW.run_id)
            OR NOT EXISTS (SELECT 1 FROM run WHERE id = NEW.run_id)
            OR NEW.position <> 0 OR NEW.terminal <> 0 OR NEW.frontier <> 0 OR NEW.last_event <> 0
        THEN RAISE(ABORT, 'a cursor begins with its run and is kept by the database')
    END;
END;
-- +goose StatementEnd

-- Every move consumes a new row of the log, so a write by hand finds none left.
-- The one move besides is the end of a run that is full, and after each event
-- that has been made already.
-- +goose StatementBegin
CREATE TRIGGER a_cursor_moves_by_its_log AFTER UPDATE ON cursor
BEGIN
    SELECT CASE
        WHEN NEW.position < OLD.position
        THEN RAISE(ABORT, 'position never falls')
        WHEN NEW.run_id <> OLD.run_id OR NEW.last_event < OLD.last_event
            OR NEW.last_event = OLD.last_event AND NOT (OLD.live = 1 AND NEW.live = 0 AND OLD.process = 0 AND OLD.open = 0
                AND OLD.total IS NOT NULL AND OLD.position >= OLD.total)
            OR NEW.last_event > OLD.last_event AND NOT EXISTS (SELECT 1 FROM event
                WHERE id = NEW.last_event AND run_id = NEW.run_id AND source <> 'monitor' AND NOT (kind >= 'signal.' AND kind < 'signal/'))
        THEN RAISE(ABORT, 'a cursor is kept by the database: flip a step instead')
    END;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER a_cursor_is_never_deleted BEFORE DELETE ON cursor
BEGIN
    SELECT RAISE(ABORT, 'a cursor is never deleted');
END;
-- +goose StatementEnd

-- clock, landmark: nobody is older than they say ---------------------------

-- No machine was awake for longer than its boots lasted. A clock that said so
-- would make every run silent for ever, and landmarks beyond it none at all.
-- +goose StatementBegin
CREATE TRIGGER a_boot_has_one_row BEFORE INSERT ON clock
BEGIN
    SELECT CASE
        WHEN EXISTS (SELECT 1 FROM clock WHERE boot_id = NEW.boot_id)
        THEN RAISE(ABORT, 'a boot has one row in the clock')
        WHEN max(NEW.first_event, coalesce(NEW.look_event, 0)) > coalesce((SELECT max(id) FROM event), 0)
        THEN RAISE(ABORT, 'a look sees no event that is not there')
        WHEN NEW.look_awake_ms IS NOT NULL AND (NEW.look_mono_ms IS NULL
            OR NEW.look_awake_ms > NEW.look_mono_ms + coalesce((SELECT max(look_awake_ms) FROM clock), 0))
        THEN RAISE(ABORT, 'no machine was awake for longer than its boots lasted')
    END;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER the_clock_is_moved_by_looks BEFORE UPDATE ON clock
BEGIN
    SELECT CASE
        WHEN NEW.boot_id <> OLD.boot_id OR NEW.first_wall_ms <> OLD.first_wall_ms OR NEW.first_mono_ms <> OLD.first_mono_ms
            OR NEW.first_event <> OLD.first_event
        THEN RAISE(ABORT, 'the first reading of a boot stays')
        WHEN NEW.look_event > coalesce((SELECT max(id) FROM event), 0)
        THEN RAISE(ABORT, 'a look sees no event that is not there')
        WHEN NEW.look_awake_ms IS NOT NULL AND (NEW.look_mono_ms IS NULL
            OR NEW.look_awake_ms > NEW.look_mono_ms + coalesce((SELECT max(look_awake_ms) FROM clock WHERE boot_id <> NEW.boot_id), 0))
        THEN RAISE(ABORT, 'no machine was awake for longer than its boots lasted')
    END;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER the_clock_is_never_deleted BEFORE DELETE ON clock
BEGIN
    SELECT RAISE(ABORT, 'a row of the clock is never deleted');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER a_landmark_is_set_by_a_look BEFORE INSERT ON landmark
BEGIN
    SELECT CASE
        WHEN EXISTS (SELECT 1 FROM landmark WHERE event_id = NEW.event_id)
        THEN RAISE(ABORT, 'a landmark is set once')
        WHEN NOT EXISTS (SELECT 1 FROM event WHERE id = NEW.event_id AND run_id = NEW.run_id)
            OR NEW.event_id > coalesce((SELECT max(look_event) FROM clock), 0)
        THEN RAISE(ABORT, 'a landmark is of an event of its run that a look has seen')
        WHEN NEW.awake_ms > coalesce((SELECT max(look_awake_ms) FROM clock), 0)
        THEN RAISE(ABORT, 'a landmark does not lie ahead of the last look')
    END;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER a_landmark_is_never_moved BEFORE UPDATE ON landmark
BEGIN
    SELECT RAISE(ABORT, 'a landmark is never moved');
END;
-- +goose StatementEnd

-- One that lies ahead all the same, because somebody had the guards off, is none.
-- +goose StatementBegin
CREATE TRIGGER a_landmark_that_is_counted_from_stays BEFORE DELETE ON landmark
WHEN OLD.awake_ms <= coalesce((SELECT max(look_awake_ms) FROM clock), 0)
    AND (EXISTS (SELECT 1 FROM cursor AS c WHERE c.run_id = OLD.run_id AND (OLD.event_id = c.start_event
            OR c.live = 1 AND OLD.event_id IN (c.epoch_event, c.advance_event, c.full_event, c.hold_event, c.hold_end_event, c.budget_end_event)))
        OR EXISTS (SELECT 1 FROM step INDEXED BY step_with_a_budget
            WHERE run_id = OLD.run_id AND expect_ms IS NOT NULL AND expect_event = OLD.event_id))
BEGIN
    SELECT RAISE(ABORT, 'a landmark that something is counted from stays');
END;
-- +goose StatementEnd

-- seal, policy, trail: said once ------------------------------------------

-- A seal over rows to come would leave those that come without one.
-- +goose StatementBegin
CREATE TRIGGER a_seal_follows_the_last BEFORE INSERT ON seal
BEGIN
    SELECT CASE
        WHEN NEW.first_event <> 1 + coalesce((SELECT max(last_event) FROM seal), 0)
            OR NEW.id <> -1 AND NEW.id <> 1 + coalesce((SELECT max(id) FROM seal), 0)
        THEN RAISE(ABORT, 'a seal begins where the last one ended')
        WHEN NOT EXISTS (SELECT 1 FROM event WHERE id = NEW.last_event)
        THEN RAISE(ABORT, 'a seal covers rows of the log that are there')
    END;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER a_seal_is_never_changed BEFORE UPDATE ON seal
BEGIN
    SELECT RAISE(ABORT, 'a seal is never changed');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER a_seal_is_never_deleted BEFORE DELETE ON seal
BEGIN
    SELECT RAISE(ABORT, 'a seal is never deleted');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER a_recorded_policy_is_never_changed BEFORE UPDATE ON policy
BEGIN
    SELECT RAISE(ABORT, 'a recorded policy is never changed');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER a_policy_is_recorded_once BEFORE INSERT ON policy
WHEN EXISTS (SELECT 1 FROM policy WHERE id = NEW.id) OR EXISTS (SELECT 1 FROM policy WHERE body = NEW.body)
BEGIN
    SELECT RAISE(ABORT, 'a recorded policy is never changed, and each text is recorded once');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER a_recorded_policy_is_never_deleted BEFORE DELETE ON policy
BEGIN
    SELECT RAISE(ABORT, 'a recorded policy is never deleted');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER a_trail_keeps_its_name BEFORE UPDATE ON trail
BEGIN
    SELECT RAISE(ABORT, 'a trail keeps its instance');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER a_trail_is_never_deleted BEFORE DELETE ON trail
BEGIN
    SELECT RAISE(ABORT, 'a trail keeps its instance');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER a_trail_is_named_once BEFORE INSERT ON trail
BEGIN
    SELECT RAISE(ABORT, 'a trail keeps its instance');
END;
-- +goose StatementEnd

-- Views for people ----------------------------------------------------------

-- One row a run: its cursor, and what the monitor last said of it.
CREATE VIEW v_run AS
SELECT
    r.id AS run, r.family, c.epoch, c.position, c.total, c.open,
    CASE WHEN c.total IS NOT NULL THEN max(c.total - c.position, 0) END AS remaining,
    c.frontier, c.rows_since AS rows_since_advance, c.failed_since AS failed_since_advance,
    strftime('%Y-%m-%dT%H:%M:%SZ', c.start_ms / 1000, 'unixepoch') AS started_at,
    strftime('%Y-%m-%dT%H:%M:%SZ', c.advance_ms / 1000, 'unixepoch') AS last_advance_at,
    strftime('%Y-%m-%dT%H:%M:%SZ', c.last_ms / 1000, 'unixepoch') AS last_row_at,
    v.state, v.reason,
    round((julianday('now') - 2440587.5) * 86400.0 - v.at_ms / 1000.0, 1) AS verdict_age_s,
    c.live, c.process,
    CASE WHEN c.cancel_event IS NOT NULL THEN 'cancelled'
        WHEN c.exit_code IS NOT NULL THEN 'exit ' || c.exit_code
        WHEN c.exit_signal IS NOT NULL THEN 'signal ' || c.exit_signal
        ELSE c.exit_reason END AS ended,
    c.asked_by, c.refused, c.advance_event, c.last_event
FROM run AS r
JOIN cursor AS c ON c.run_id = r.id
LEFT JOIN verdict AS v ON v.run_id = r.id;

-- Runs that the monitor last found not moving, the longest silence first.
CREATE VIEW v_stuck AS
SELECT
    v.run_id AS run, r.family, v.state, v.reason, c.epoch, c.position, c.total,
    strftime('%Y-%m-%dT%H:%M:%SZ', coalesce(c.advance_ms, c.epoch_ms) / 1000, 'unixepoch') AS still_since,
    round((julianday('now') - 2440587.5) * 86400.0 - coalesce(c.advance_ms, c.epoch_ms) / 1000.0, 1) AS still_s,
    c.rows_since AS rows_since_advance, c.failed_since AS failed_since_advance,
    c.frontier + 1 AS resume_at, v.since
FROM verdict AS v
JOIN cursor AS c ON c.run_id = v.run_id
JOIN run AS r ON r.id = v.run_id
WHERE v.state IN ('degraded', 'stalled', 'stuck', 'timeout', 'blind')
ORDER BY coalesce(c.advance_ms, c.epoch_ms);

-- One row an episode that was signalled: when it began, was found and ended. A
-- takeover ends none, so the end may lie in a later epoch: what a monitor said
-- of it, else the next advance or end of the run, whichever came first.
CREATE VIEW v_episode AS
SELECT
    s.run_id AS run, s.epoch, s.since, json_extract(s.data, '$.state') AS state, s.reason,
    strftime('%Y-%m-%dT%H:%M:%SZ', a.at_ms / 1000, 'unixepoch') AS last_advance_at,
    strftime('%Y-%m-%dT%H:%M:%SZ', s.at_ms / 1000, 'unixepoch') AS stalled_at,
    round((s.at_ms - a.at_ms) / 1000.0, 3) AS found_after_s,
    CASE
        WHEN e.id IS NOT NULL THEN strftime('%Y-%m-%dT%H:%M:%SZ', e.at_ms / 1000, 'unixepoch')
    END AS ended_at,
    CASE WHEN e.kind >= 'signal.' AND e.kind < 'signal/' THEN substr(e.kind, 8) WHEN e.id IS NOT NULL THEN 'advance' END AS ended_by,
    round((e.at_ms - a.at_ms) / 1000.0, 3) AS lasted_s,
    s.id AS signal_event, e.id AS end_event
FROM event AS s
LEFT JOIN event AS a ON a.id = s.since
LEFT JOIN event AS e ON e.id = coalesce(
    (SELECT x.id FROM event AS x
        WHERE x.run_id = s.run_id AND x.epoch >= s.epoch AND x.kind = 'signal.recovered' AND x.since = s.since
        ORDER BY x.id LIMIT 1),
    (SELECT x.id FROM event AS x
        WHERE x.run_id = s.run_id AND x.id > s.id AND (x.advance = 1
            OR x.kind = 'signal.done' OR x.kind = 'signal.failed' OR x.kind = 'signal.cancelled'
            OR x.kind = 'cursor' AND x.position > coalesce((
                SELECT max(p.position) FROM event AS p WHERE p.run_id = x.run_id AND p.id < x.id), 0))
        ORDER BY x.id LIMIT 1))
WHERE s.kind = 'signal.stalled' AND s.since IS NOT NULL;

-- One row a step: how long it took and how often it was tried.
CREATE VIEW v_step AS
SELECT
    s.run_id AS run, r.family, s.pos AS step, s.name, s.state, s.epoch, s.attempts, s.failures,
    strftime('%Y-%m-%dT%H:%M:%SZ', s.first_begun_ms / 1000, 'unixepoch') AS first_begun_at,
    strftime('%Y-%m-%dT%H:%M:%SZ', s.finished_ms / 1000, 'unixepoch') AS finished_at,
    round((s.finished_ms - s.begun_ms) / 1000.0, 3) AS last_attempt_s,
    round((s.finished_ms - s.first_begun_ms) / 1000.0, 3) AS all_attempts_s,
    s.mark_high AS marked, s.mark_of AS marked_of, s.expect_ms / 1000.0 AS expected_s, s.note
FROM step AS s
JOIN run AS r ON r.id = s.run_id;

-- Duration quantiles of done steps by family: a full scan of step.
CREATE VIEW v_family AS
WITH d AS (
    SELECT r.family, s.finished_ms - s.begun_ms AS ms,
        row_number() OVER (PARTITION BY r.family ORDER BY s.finished_ms - s.begun_ms) AS k,
        count(*) OVER (PARTITION BY r.family) AS n
    FROM step AS s JOIN run AS r ON r.id = s.run_id
    WHERE s.state = 'done' AND s.begun_ms IS NOT NULL
), f AS (
    SELECT family, count(*) AS runs, sum(live) AS live
    FROM run JOIN cursor ON run_id = id GROUP BY family
)
SELECT f.family, f.runs, f.live, coalesce(max(d.n), 0) AS steps_timed,
    min(CASE WHEN d.k * 100 >= d.n * 50 THEN d.ms END) / 1000.0 AS p50_s,
    min(CASE WHEN d.k * 100 >= d.n * 90 THEN d.ms END) / 1000.0 AS p90_s,
    min(CASE WHEN d.k * 100 >= d.n * 99 THEN d.ms END) / 1000.0 AS p99_s,
    max(d.ms) / 1000.0 AS max_s
FROM f LEFT JOIN d ON d.family = f.family
GROUP BY f.family;

-- The log as a person reads it.
CREATE VIEW v_log AS
SELECT
    id AS event,
    strftime('%Y-%m-%dT%H:%M:%S', at_ms / 1000, 'unixepoch') || printf('.%03dZ', at_ms % 1000) AS at,
    run_id AS run, epoch, kind, step, attempt,
    CASE WHEN advance OR kind = 'cursor' AND position > coalesce((
        SELECT max(p.position) FROM event AS p WHERE p.run_id = e.run_id AND p.id < e.id), 0)
        THEN 'advance' ELSE '' END AS advance,
    CASE
        WHEN kind = 'step.marked' THEN amount || ' of ' || out_of
        WHEN kind IN ('hold', 'step.begun') AND for_ms IS NOT NULL THEN 'for ' || (for_ms / 1000.0) || ' s' || coalesce(': ' || reason, '')
        WHEN kind = 'run.exited' THEN coalesce('exit ' || code, 'signal ' || signal, reason)
        WHEN kind IN ('run.started', 'run.total') THEN coalesce('total ' || total, 'no total') || CASE open WHEN 1 THEN ', open' ELSE '' END
        WHEN since IS NOT NULL THEN coalesce(nullif(reason, '') || ', ', '') || 'since ' || since
        ELSE coalesce(reason, '')
    END AS what,
    position, total, source, who
FROM event AS e;

PRAGMA application_id = 1886545773;
PRAGMA user_version = 1;
