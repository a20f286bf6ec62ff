SELECT seq, (SELECT coalesce(max(id), 0) FROM event), count(*) FROM sqlite_sequence WHERE name = 'event'
