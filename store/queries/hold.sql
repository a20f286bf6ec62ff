INSERT INTO event (run_id, epoch, kind, for_ms, reason, source)
VALUES (:run_id, :epoch, 'hold', :for_ms, :reason, :source)
