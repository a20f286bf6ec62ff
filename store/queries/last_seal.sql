SELECT last_event, hash FROM seal ORDER BY id DESC LIMIT 1
