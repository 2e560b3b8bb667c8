package dev.fairlead.money.statement;

import dev.fairlead.people.tenant.TenantId;

/**
 * What a tenant used of one model where all may use it.
 *
 * @param milliMillis thousandths of a GPU times milliseconds
 */
public record TenantUse(TenantId tenant, String model, long milliMillis) {}
