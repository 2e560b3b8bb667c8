SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- The last values in the series of the DCGM exporter, so that only a change becomes a health event, also after a failover. There is a
-- row for each GPU, and one for each further series of it that was above 0. Rows are deleted with their cluster, or when the GPU has
-- not been read for 90 days.
CREATE TABLE gpu_sample (
  cluster uuid        NOT NULL REFERENCES cluster ON DELETE CASCADE,
  gpu     text        COLLATE "C" NOT NULL,
  series  text        COLLATE "C" NOT NULL,
  value   bigint      NOT NULL,
  at      timestamptz NOT NULL,
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (cluster, gpu, series)
);
CREATE INDEX gpu_sample_gpu ON gpu_sample (gpu);
GRANT SELECT, INSERT, UPDATE, DELETE ON gpu_sample TO fairlead_loops;
