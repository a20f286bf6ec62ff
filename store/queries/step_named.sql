SELECT pos FROM step WHERE run_id = :run_id AND name = :name
