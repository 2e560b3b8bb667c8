package dev.fairlead.fleet.quota;

import dev.fairlead.people.tenant.TenantId;
import java.util.List;
import java.util.UUID;

/**
 * The quota tree of the platform: a root above all tenants, and below it one node for each tenant
 * with its limits, its weight among tenants and what it lends to others. Its nodes are like those
 * of any other tree, but no tenant reads or writes them.
 */
public final class FleetQuota {
  public static final QuotaNodeId ROOT = new QuotaNodeId(new UUID(0, 0));

  /** Of one, in milli. */
  private static final long WEIGHT_ONE = 1000;

  private FleetQuota() {}

  /** The node of a tenant. */
  public static QuotaNodeId of(TenantId tenant) {
    return new QuotaNodeId(tenant.value());
  }

  /** The root as it is before anything is limited. */
  public static QuotaNode unlimitedRoot() {
    TenantId none = new TenantId(ROOT.value());
    return new QuotaNode(
        ROOT, none, "fleet", null, 0, WEIGHT_ONE, List.of(), PreemptionRules.NONE, null, 1);
  }

  /** A tenant as it is before anything is limited. */
  public static QuotaNode unlimited(TenantId tenant) {
    return new QuotaNode(
        of(tenant), tenant, "fleet", ROOT, 1, WEIGHT_ONE, List.of(), PreemptionRules.NONE, null, 1);
  }
}
