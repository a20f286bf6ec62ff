SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema WHERE sql IS NOT NULL
