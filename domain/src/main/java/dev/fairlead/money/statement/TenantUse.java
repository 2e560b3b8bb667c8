package dev.fairlead.money.statement;

import dev.fairlead.people.tenant.TenantId;

/**
 * Usage of one model by a tenant on shared capacity.
 *
 * @param milliMillis thousandths of a GPU times milliseconds
 */
public record TenantUse(TenantId tenant, String model, long milliMillis) {}
