-- What a monitor could not see, told to the log when it can be written again.
INSERT INTO event (at_ms, kind, for_ms, source, reason, who)
VALUES (:at_ms, :kind, :for_ms, 'monitor', :reason, :who)
