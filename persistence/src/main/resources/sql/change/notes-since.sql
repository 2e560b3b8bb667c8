-- Notes that the earlier view did not see are at or above the lowest transaction that was open then.
SELECT seq, ids FROM change_note
WHERE xid >= CAST(CAST(:horizon AS text) AS xid8) AND kind = :kind
