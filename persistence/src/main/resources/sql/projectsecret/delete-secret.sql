DELETE FROM project_secret WHERE tenant = :tenant AND id = :id AND version = :version
