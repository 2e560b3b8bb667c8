-- Ends the token and those made with it that are seen. Once more when it ended any: another may have been made with one of
-- them meanwhile, which from now on is not possible.
WITH RECURSIVE made (id) AS (
  SELECT id FROM api_token WHERE tenant = :tenant AND id = :id
  UNION
  SELECT t.id FROM api_token t JOIN made m ON t.made_by = m.id
)
UPDATE api_token SET revoked_at = :now, version = version + 1
WHERE id IN (SELECT id FROM made) AND revoked_at IS NULL
