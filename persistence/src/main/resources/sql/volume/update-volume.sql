UPDATE volume
SET name = :name, state = :state, cluster = :cluster, claim = :claim, claim_uid = :claimUid, provisioned_at = :provisionedAt, bound_at = :boundAt, node_labels = CAST(:nodeLabels AS jsonb), message = :message, version = :version
WHERE tenant = :tenant AND id = :id AND version = :version - 1
