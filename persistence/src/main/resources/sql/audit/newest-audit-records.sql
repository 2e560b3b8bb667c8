SELECT at, seq, actor, operation, subject, allowed, count, request_id, address, detail
FROM audit_record
WHERE tenant = :tenant
  AND (at, seq) < (:before, :beforeSeq)
  AND at >= coalesce(CAST(:since AS timestamptz), '-infinity')
  AND at < coalesce(CAST(:until AS timestamptz), 'infinity')
  AND (CAST(:actor AS text) IS NULL OR actor = :actor)
  AND (CAST(:operation AS text) IS NULL OR operation = :operation)
  AND (CAST(:subject AS text) IS NULL OR subject = :subject
    OR detail @> jsonb_build_object('jobs', jsonb_build_array(CAST(:subject AS text))))
  AND (CAST(:allowed AS boolean) IS NULL OR allowed = :allowed)
ORDER BY at DESC, seq DESC
LIMIT :limit
