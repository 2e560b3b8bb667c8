INSERT INTO budget (id, tenant, project, queue, used_by, label_key, label_value, name, amount, currency, money, period, mode, on_exhausted, alerts, grants, version)
VALUES (:id, :tenant, :project, :queue, :user, :labelKey, :labelValue, :name, :amount, :currency, :money, :period, :mode, :onExhausted,
        CAST(:alerts AS jsonb), CAST(:grants AS jsonb), :version)
ON CONFLICT (tenant, name) DO NOTHING
