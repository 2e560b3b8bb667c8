DELETE FROM volume WHERE tenant = :tenant AND id = :id AND version = :version
