DELETE FROM gpu_slot WHERE node IN (SELECT id FROM node WHERE cluster = :cluster)
