SELECT coalesce(max(sequence), 0) FROM audit_link
