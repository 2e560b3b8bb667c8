SELECT name FROM config_document
WHERE kind = 'LICENCE'
  AND name IN (SELECT h.licence FROM licence_hold h WHERE h.attempt IN (SELECT unnest(CAST(:ids AS uuid[]))))
ORDER BY name
FOR NO KEY UPDATE
