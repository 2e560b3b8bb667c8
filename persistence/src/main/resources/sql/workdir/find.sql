SELECT * FROM workdir
WHERE tenant = :tenant AND project = :project AND digest = :digest AND state = 'STORED'
