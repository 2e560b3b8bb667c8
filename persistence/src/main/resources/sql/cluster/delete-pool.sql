DELETE FROM pool WHERE id = :id AND version = :version
