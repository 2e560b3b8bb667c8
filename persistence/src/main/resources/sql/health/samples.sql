SELECT gpu, series, value, at, seen_at FROM gpu_sample WHERE cluster = :cluster
