package dev.fairlead.quota;

import java.util.List;

/** The quota trees of all tenants, for loops, which act for all of them. */
public interface QuotaForest {
  /** By depth, then name. */
  List<QuotaNode> allNodes();

  /** None of zero. */
  List<QuotaUse> allUses();

  /** What ended jobs used, for the nodes that have a half-life; several of one kind add up. */
  List<PastUse> pastUses();
}
