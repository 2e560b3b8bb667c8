SELECT id, version FROM job WHERE active
