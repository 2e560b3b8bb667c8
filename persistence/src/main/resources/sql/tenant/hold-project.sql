SELECT id FROM project WHERE tenant = :tenant AND name = :name FOR KEY SHARE
