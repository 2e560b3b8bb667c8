SELECT id, version FROM node WHERE state <> 'RETIRED' AND id > :after ORDER BY id LIMIT :most
