package dev.fairlead.money.usage;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.Flavor;

/**
 * Use of one kind of capacity by all tenants in one hour.
 *
 * @param hourMillis start of the hour, in milliseconds since 1970
 * @param pool empty for nodes of none
 * @param milliMillis thousandths of a GPU times milliseconds
 */
public record FleetUse(
    long hourMillis, ClusterId cluster, String pool, Flavor flavor, long milliMillis) {}
