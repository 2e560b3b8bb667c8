package dev.fairlead.fleet.quota;

import dev.fairlead.people.tenant.TenantId;
import java.util.List;
import java.util.UUID;

/**
 * The quota tree of the platform: a root above all tenants, and one node for each tenant with its
 * limits, its weight among tenants and its lending limit. Its nodes are like the nodes of any other
 * tree, but no tenant reads or writes them.
 */
public final class FleetQuota {
  public static final QuotaNodeId ROOT = new QuotaNodeId(new UUID(0, 0));

  /** Weight of one, in milli. */
  private static final long WEIGHT_ONE = 1000;

  private FleetQuota() {}

  public static QuotaNodeId of(TenantId tenant) {
    return new QuotaNodeId(tenant.value());
  }

  /** Returns the node of a tenant before anything is limited. */
  public static QuotaNode unlimited(TenantId tenant) {
    return QuotaNodeBuilder.builder()
        .id(of(tenant))
        .tenant(tenant)
        .name("fleet")
        .parent(ROOT)
        .depth(1)
        .weight(WEIGHT_ONE)
        .limits(List.of())
        .preemption(PreemptionRules.NONE)
        .queue(null)
        .share(SharePolicy.DOMINANT_SHARE)
        .usageHalfLife(null)
        .version(1)
        .build();
  }
}
