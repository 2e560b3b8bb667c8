package dev.fairlead.kernel.idempotency;

import dev.fairlead.people.tenant.TenantId;

/** What makes a repeated request the same one. */
public record IdempotencyKey(TenantId tenant, String principal, String operation, String key) {}
