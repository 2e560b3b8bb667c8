SELECT count(*) FROM webhook_delivery WHERE webhook = :webhook AND dead
