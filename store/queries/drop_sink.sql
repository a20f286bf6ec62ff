DELETE FROM sink WHERE name = :name
