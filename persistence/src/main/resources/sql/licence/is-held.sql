SELECT EXISTS (SELECT FROM licence_hold WHERE licence = :name)
