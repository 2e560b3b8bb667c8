SELECT
  (SELECT count(*) FROM (SELECT FROM job WHERE project = :project AND active LIMIT :mostOfProject) AS p)
    AS of_project,
  (SELECT count(*) FROM (SELECT FROM job WHERE tenant = :tenant AND active LIMIT :mostOfTenant) AS t)
    AS of_tenant
