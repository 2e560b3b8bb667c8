DELETE FROM budget WHERE id = :id AND tenant = :tenant AND version = :version
