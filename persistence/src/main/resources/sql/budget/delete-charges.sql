DELETE FROM budget_charge AS c
USING json_to_recordset(CAST(:rows AS json)) AS r (attempt uuid, budget uuid)
WHERE c.attempt = r.attempt AND c.budget = r.budget
