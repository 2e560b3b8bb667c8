package dev.fairlead.kernel.idempotency;

import dev.fairlead.people.tenant.TenantId;

/** Identifies a repeated request. */
public record IdempotencyKey(TenantId tenant, String principal, String operation, String key) {}
