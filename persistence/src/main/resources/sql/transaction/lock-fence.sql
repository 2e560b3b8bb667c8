SELECT epoch FROM fence WHERE name = :name AND epoch = :epoch FOR SHARE
