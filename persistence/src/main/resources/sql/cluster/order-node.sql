UPDATE node SET state = :state, cordon = :cordon, version = version + 1
WHERE id = :id AND (state, cordon) IS DISTINCT FROM (:state, :cordon)
