-- Waits for transactions of the holder with a share lock on the fence. No transaction starts after that.
DELETE FROM fence WHERE name = :name
