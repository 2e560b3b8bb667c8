DELETE FROM repairer WHERE cluster = :cluster AND version = :version
