UPDATE installation SET log_nonces = (array_prepend(:nonce, log_nonces))[1:CAST(:most AS integer)]
