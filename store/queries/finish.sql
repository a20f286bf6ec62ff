INSERT INTO event (run_id, epoch, kind, code, signal, reason, who, source)
VALUES (:run_id, :epoch, 'run.exited', :code, :signal, :reason, :who, :source)
