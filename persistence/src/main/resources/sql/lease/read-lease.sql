SELECT holder, term, renewals, released FROM lease WHERE name = :name
