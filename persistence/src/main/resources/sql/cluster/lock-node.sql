SELECT state, cordon FROM node
WHERE id = :id
FOR NO KEY UPDATE
