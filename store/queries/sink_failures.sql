SELECT failures FROM sink WHERE name = :sink
