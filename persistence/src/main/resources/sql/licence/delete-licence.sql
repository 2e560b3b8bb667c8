DELETE FROM licence WHERE name = :name
