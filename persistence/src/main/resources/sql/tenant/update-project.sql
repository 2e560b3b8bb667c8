UPDATE project SET default_queue = :queue, version = :version WHERE id = :id AND version = :version - 1
