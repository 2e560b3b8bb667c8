DELETE FROM pool_supply WHERE pool = :pool AND version = :version
