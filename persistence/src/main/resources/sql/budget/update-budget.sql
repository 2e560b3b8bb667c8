UPDATE budget
SET amount = :amount, money = :money, mode = :mode, on_exhausted = :onExhausted, alerts = CAST(:alerts AS jsonb), grants = CAST(:grants AS jsonb), version = :version
WHERE id = :id AND tenant = :tenant AND version = :version - 1
