-- Waits for transactions of the holder with a share lock on the fence. None begins after that.
DELETE FROM fence WHERE name = :name
