SELECT cluster, namespace, tenant, project, since, tries, why
FROM namespace_removal
WHERE tries > 0 AND tries >= :tries
ORDER BY since, cluster, namespace
LIMIT :most
