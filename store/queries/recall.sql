SELECT
    instance,
    coalesce((SELECT max(id) FROM event), 0),
    (SELECT user_version FROM pragma_user_version),
    (SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied)
FROM trail
