-- Ends the token and the visible tokens that were created with it. Repeat if any ended, because another token
-- may have been created with one of them concurrently.
WITH RECURSIVE made (id) AS (
  SELECT id FROM api_token WHERE tenant = :tenant AND id = :id
  UNION
  SELECT t.id FROM api_token t JOIN made m ON t.made_by = m.id
)
UPDATE api_token SET revoked_at = :now, version = version + 1
WHERE id IN (SELECT id FROM made) AND revoked_at IS NULL
