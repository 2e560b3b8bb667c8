package dev.fairlead.fleet.quota;

import dev.fairlead.people.tenant.TenantId;
import java.util.List;

/** Quota trees of all tenants, for loops. */
public interface QuotaTrees {
  /**
   * Returns the nodes by depth, then name. Nodes of the platform come first, if it limits its
   * tenants.
   */
  List<QuotaNode> allNodes();

  /** Returns all use above zero, including the use of the platform's nodes. */
  List<QuotaUse> allUses();

  /**
   * Returns the platform's nodes and locks their counters until the open transaction ends. The
   * result is empty if it limits nothing. The paths of the queues are locked before.
   */
  List<QuotaNode> platformNodes();

  /** Returns the use of the platform's nodes above zero. */
  List<QuotaUse> fleetUses();

  /** Returns the use of the root and of one tenant's node. */
  List<QuotaUse> fleetUses(TenantId tenant);

  /**
   * Returns the use of ended jobs, for nodes that have a half-life. Several rows with the same key
   * are added up.
   */
  List<PastUse> pastUses();
}
