DELETE FROM node WHERE cluster = :cluster
