UPDATE lease SET renewals = renewals + 1, mark = mark + :step, renewed_at = clock_timestamp()
WHERE name = :name AND term = :term AND NOT released
RETURNING renewals, mark
