UPDATE installation
SET log_nonces = trim_array(array_prepend(CAST(:nonce AS text), log_nonces), greatest(cardinality(log_nonces) + 1 - :most, 0))
