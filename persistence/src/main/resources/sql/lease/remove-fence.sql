-- Waits for transactions of the holder that hold it for share; none begins after that.
DELETE FROM fence WHERE name = :name
