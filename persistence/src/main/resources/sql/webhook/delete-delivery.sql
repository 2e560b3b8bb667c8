DELETE FROM webhook_delivery WHERE webhook = :webhook AND transaction = :transaction AND sequence = :sequence
