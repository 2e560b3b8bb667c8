SELECT c.budget,
       sum(coalesce(c.weight, c.milli)::numeric * greatest(0, :now - greatest(c.since_ms, r.begin_ms))) AS used
FROM json_to_recordset(CAST(:rows AS json)) AS r (budget uuid, begin_ms bigint)
JOIN budget_charge c ON c.budget = r.budget
GROUP BY c.budget
