SELECT instance, coalesce((SELECT max(id) FROM event), 0), (SELECT user_version FROM pragma_user_version) FROM trail
