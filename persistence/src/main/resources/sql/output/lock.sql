SELECT id, live, outputs
FROM attempt
WHERE job = :job AND tenant = :tenant AND (id = :attempt OR outputs IS NOT NULL)
ORDER BY id
FOR UPDATE
