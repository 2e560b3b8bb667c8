DELETE FROM audit_head WHERE sequence >= :sequence
