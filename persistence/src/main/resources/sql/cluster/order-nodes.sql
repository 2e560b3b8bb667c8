UPDATE node AS n SET state = r.state, cordon = r.cordon, version = n.version + 1
FROM json_to_recordset(CAST(:rows AS json)) AS r (id uuid, state text, cordon text)
WHERE n.id = r.id AND (n.state, n.cordon) IS DISTINCT FROM (r.state, r.cordon)
