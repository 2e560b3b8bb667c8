package dev.fairlead.money.statement;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.usage.UsageBucket;
import dev.fairlead.people.tenant.TenantId;
import org.jspecify.annotations.Nullable;

/**
 * Capacity that no job used in one span of a month.
 *
 * @param span index among the requested begins
 * @param pool empty for nodes of none
 * @param owner the only tenant whose jobs its pool accepts, null for all
 * @param milliMillis thousandths of a GPU times milliseconds
 */
public record IdleUse(
    int span,
    ClusterId cluster,
    String pool,
    @Nullable TenantId owner,
    Flavor flavor,
    UsageBucket bucket,
    long milliMillis) {}
