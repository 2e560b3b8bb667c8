SELECT id, version FROM job WHERE active AND id > :after ORDER BY id LIMIT :most
