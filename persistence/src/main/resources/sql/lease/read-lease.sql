SELECT holder, term, renewals, mark, released FROM lease WHERE name = :name
