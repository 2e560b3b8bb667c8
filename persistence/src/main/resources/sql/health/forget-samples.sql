DELETE FROM gpu_sample WHERE cluster = :cluster AND gpu = ANY (:gpus)
