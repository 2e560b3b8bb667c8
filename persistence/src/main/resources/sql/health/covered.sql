-- A node that left before the end of its domain quarantine has another end.
SELECT d.id, count(*) AS nodes
FROM domain_quarantine d JOIN quarantine q ON q.domain_quarantine = d.id AND q.released_at IS NOT DISTINCT FROM d.released_at
WHERE d.id IN (SELECT unnest(CAST(:ids AS uuid[])))
GROUP BY d.id
