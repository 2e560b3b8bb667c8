UPDATE lease SET released = true WHERE name = :name AND epoch = :epoch
