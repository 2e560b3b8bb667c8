package dev.fairlead.statement;

import dev.fairlead.identity.ClusterId;
import dev.fairlead.resources.Flavor;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.usage.UsageBucket;
import org.jspecify.annotations.Nullable;

/**
 * Capacity that no job used in one span of a month.
 *
 * @param span index among the begins that were asked for
 * @param pool empty for nodes of none
 * @param owner whose jobs alone its pool takes; null for all
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
