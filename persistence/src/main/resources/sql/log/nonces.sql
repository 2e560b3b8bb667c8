SELECT n.nonce FROM installation, unnest(log_nonces) WITH ORDINALITY AS n (nonce, place) ORDER BY n.place
