SELECT instance || ' ' || created_ms FROM trail
