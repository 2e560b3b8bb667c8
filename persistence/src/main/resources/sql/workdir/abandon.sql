UPDATE workdir SET state = 'DELETING' WHERE id = :id AND state = 'UPLOADING'
