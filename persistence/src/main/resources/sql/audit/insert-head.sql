INSERT INTO audit_head (sequence, link, signature) VALUES (:sequence, decode(:link, 'hex'), decode(:signature, 'hex'))
