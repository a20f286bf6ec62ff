SELECT 1 FROM clock WHERE boot_id = :boot_id
