-- Landmarks of events that nothing is counted from any more, unless something is
-- by now, and such as lie ahead of the clock.
DELETE FROM landmark
WHERE event_id IN (SELECT value FROM json_each(:events))
    AND (awake_ms > (SELECT max(look_awake_ms) FROM clock)
        OR NOT EXISTS (SELECT 1 FROM cursor AS c WHERE c.run_id = landmark.run_id AND (landmark.event_id = c.start_event
            OR c.live = 1 AND landmark.event_id IN (c.epoch_event, c.advance_event, c.full_event, c.hold_event, c.hold_end_event, c.budget_end_event)))
        AND NOT EXISTS (SELECT 1 FROM step INDEXED BY step_with_a_budget
            WHERE run_id = landmark.run_id AND expect_ms IS NOT NULL AND expect_event = landmark.event_id))
