WITH gone AS (
  DELETE FROM cluster WHERE id = :id AND version = :version
  RETURNING id, name
)
INSERT INTO cluster_removed (id, name) SELECT id, name FROM gone
