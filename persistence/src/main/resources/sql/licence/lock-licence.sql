SELECT name FROM licence WHERE name = :name FOR UPDATE
