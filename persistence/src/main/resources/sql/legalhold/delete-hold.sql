DELETE FROM legal_hold WHERE tenant = :tenant AND name = :name
