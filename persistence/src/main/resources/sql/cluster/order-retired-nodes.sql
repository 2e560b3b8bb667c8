UPDATE node_retired AS n SET cordon = r.cordon
FROM json_to_recordset(CAST(:rows AS json)) AS r (id uuid, state text, cordon text)
WHERE n.id = r.id AND n.cordon <> r.cordon AND r.state = 'RETIRED'
