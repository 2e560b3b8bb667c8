DELETE FROM budget WHERE id = :id AND version = :version
