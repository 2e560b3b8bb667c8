UPDATE node_retired SET cordon = :cordon
WHERE id = :id AND cordon <> :cordon AND :state = 'RETIRED'
