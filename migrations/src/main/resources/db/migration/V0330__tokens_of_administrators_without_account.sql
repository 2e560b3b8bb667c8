SET LOCAL ROLE fairlead_loops;

-- Tokens of the names local and bootstrap have the role admin. Those made before, with all that was
-- made with them, end here, and the memberships that V0265 gave to these names go.
WITH RECURSIVE ended (id) AS (
  SELECT id FROM api_token WHERE principal IN ('local', 'bootstrap') AND role <> 'ADMIN'
  UNION
  SELECT t.id FROM api_token t JOIN ended e ON t.made_by = e.id
)
UPDATE api_token SET revoked_at = now(), version = version + 1
WHERE id IN (SELECT id FROM ended) AND revoked_at IS NULL;

DELETE FROM membership WHERE principal IN ('local', 'bootstrap');
