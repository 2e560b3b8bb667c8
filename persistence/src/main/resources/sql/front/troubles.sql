SELECT cluster, max(trouble) AS trouble FROM front_namespace WHERE trouble IS NOT NULL GROUP BY cluster
