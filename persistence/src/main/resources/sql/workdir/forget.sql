DELETE FROM workdir WHERE id = :id AND state = 'DELETING'
