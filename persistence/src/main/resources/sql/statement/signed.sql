SELECT document FROM statement WHERE tenant = :tenant AND month = :month
