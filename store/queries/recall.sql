SELECT instance, coalesce((SELECT max(id) FROM event), 0) FROM trail
