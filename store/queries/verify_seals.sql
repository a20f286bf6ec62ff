SELECT first_event, last_event, rows, hash FROM seal ORDER BY id
