UPDATE front_namespace SET trouble = CAST(:trouble AS text)
WHERE cluster = :cluster AND trouble IS DISTINCT FROM CAST(:trouble AS text)
