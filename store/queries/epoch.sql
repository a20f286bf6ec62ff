SELECT epoch FROM run WHERE id = :run_id
