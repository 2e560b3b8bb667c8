SELECT id FROM node WHERE cluster = :cluster ORDER BY id FOR UPDATE
