UPDATE tenant SET display_name = :displayName, state = :state, version = :version
WHERE id = :id AND version = :version - 1
