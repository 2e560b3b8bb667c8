SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- The evidence of a member's end by an operator's confirmation has a new name, also in archived copies of members. The owner
-- changes rows only without the policies.
ALTER TABLE member NO FORCE ROW LEVEL SECURITY;
UPDATE member SET evidence = 'OPERATOR_CONFIRMED' WHERE evidence = 'OPERATOR_WORD';
ALTER TABLE member FORCE ROW LEVEL SECURITY;
ALTER TABLE job_archive NO FORCE ROW LEVEL SECURITY;
UPDATE job_archive SET member_rows = replace(member_rows::text, '"evidence": "OPERATOR_WORD"', '"evidence": "OPERATOR_CONFIRMED"')::jsonb
WHERE member_rows @? '$[*] ? (@.evidence == "OPERATOR_WORD")';
ALTER TABLE job_archive FORCE ROW LEVEL SECURITY;
ALTER TABLE job_archive_part NO FORCE ROW LEVEL SECURITY;
UPDATE job_archive_part SET member_rows = replace(member_rows::text, '"evidence": "OPERATOR_WORD"', '"evidence": "OPERATOR_CONFIRMED"')::jsonb
WHERE member_rows @? '$[*] ? (@.evidence == "OPERATOR_WORD")';
ALTER TABLE job_archive_part FORCE ROW LEVEL SECURITY;
