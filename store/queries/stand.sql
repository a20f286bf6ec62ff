SELECT last_event, position FROM cursor WHERE run_id = :run_id
