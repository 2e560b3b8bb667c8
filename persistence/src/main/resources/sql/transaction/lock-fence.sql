SELECT term FROM fence WHERE name = :name AND term = :term FOR SHARE
