SELECT DISTINCT gpu FROM gpu_sample WHERE gpu = ANY (:gpus) AND cluster <> :cluster AND seen_at > :since
