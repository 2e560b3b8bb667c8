-- The column is the booking itself, with its id.
UPDATE booking SET content = content || jsonb_build_object('id', jsonb_build_object('value', id));
