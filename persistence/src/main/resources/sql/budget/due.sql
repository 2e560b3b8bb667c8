SELECT b.id FROM budget b
WHERE EXISTS (SELECT FROM budget_charge c WHERE c.budget = b.id AND c.until_ms <= :now)
ORDER BY b.id
