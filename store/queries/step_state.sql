SELECT state FROM step WHERE run_id = :run_id AND pos = :pos
