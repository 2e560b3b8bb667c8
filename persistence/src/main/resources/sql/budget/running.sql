SELECT c.budget,
       sum(coalesce((c.passed ->> CAST(r.begin_ms AS text))::numeric, 0)
           + coalesce(c.weight, c.milli)::numeric
             * greatest(0, :now - greatest(coalesce(c.priced_ms, c.since_ms), r.begin_ms))) AS used
FROM json_to_recordset(CAST(:rows AS json)) AS r (budget uuid, begin_ms bigint)
JOIN budget_charge c ON c.budget = r.budget
GROUP BY c.budget
