package dev.fairlead.fleet.quota;

import dev.fairlead.people.tenant.TenantId;
import java.util.List;

/** The quota trees of all tenants, for loops, which act for all of them. */
public interface QuotaTrees {
  /** By depth, then name; those of the platform first, where it limits its tenants. */
  List<QuotaNode> allNodes();

  /** None of zero; those of the platform are among them. */
  List<QuotaUse> allUses();

  /**
   * Nodes of the platform, whose counters are locked until the open transaction ends; empty where
   * it limits nothing. The paths of the queues are locked before.
   */
  List<QuotaNode> wall();

  /** Use of the nodes of the platform; none of zero. */
  List<QuotaUse> fleetUses();

  /** The same of the root and of one tenant's node alone. */
  List<QuotaUse> fleetUses(TenantId tenant);

  /** What ended jobs used, for the nodes that have a half-life; several of one kind add up. */
  List<PastUse> pastUses();
}
