package dev.fairlead.fleet.quota.service;

import dev.fairlead.fleet.quota.PreemptionRules.WhileBorrowing;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Refuses settings without effect: {@code whileBorrowing} below a group that divides its GPUs, and
 * a usage half-life with a policy that ignores past use.
 */
final class ShareRules {
  private ShareRules() {}

  /**
   * Checks a changed node. Settings that were stored before this check remain valid, and other
   * parts of such a node can be changed.
   *
   * @param stored all nodes, read after the change was written, which prevents other changes of the
   *     tree until the transaction ends
   * @param old the node before the change, null for a new node
   * @throws Refusal CONFLICTING_FIELDS
   */
  static void require(List<QuotaNode> stored, @Nullable QuotaNode old, QuotaNode changed) {
    if (forgets(changed) && (old == null || !forgets(old))) {
      throw refusal(
          "/usageHalfLife",
          "usageHalfLife has no effect with sharePolicy PRIORITY, which ignores past usage. Remove "
              + "usageHalfLife, or set sharePolicy to DOMINANT_SHARE.");
    }
    List<QuotaNode> nodes = new ArrayList<>(stored);
    nodes.removeIf(node -> node.id().equals(changed.id()));
    nodes.add(changed);
    QuotaTree tree = new QuotaTree(nodes, List.of());
    boolean newRule = borrows(changed) && (old == null || !borrows(old));
    boolean newPolicy = divides(changed) && (old == null || !divides(old));
    for (QuotaNode node : nodes) {
      if (borrows(node)) {
        for (QuotaNode above : tree.path(node.id())) {
          if (divides(above) && newRule && node.equals(changed)) {
            throw refusal(
                "/preemption/whileBorrowing",
                ("whileBorrowing has no effect below %s, whose sharePolicy is DESERVED_SHARE:"
                        + " the deserved share of each child applies there. Remove"
                        + " whileBorrowing, or set another sharePolicy for %s.")
                    .formatted(above.name(), above.name()));
          }
          if (newPolicy && above.equals(changed)) {
            throw refusal(
                "/sharePolicy",
                "With sharePolicy DESERVED_SHARE, whileBorrowing of %s has no effect. Set preemption.whileBorrowing of %s to NEVER first."
                    .formatted(node.name(), node.name()));
          }
        }
      }
    }
  }

  private static boolean borrows(QuotaNode node) {
    return node.preemption().whileBorrowing() != WhileBorrowing.NEVER;
  }

  private static boolean divides(QuotaNode node) {
    return node.share() == SharePolicy.DESERVED_SHARE;
  }

  /**
   * Returns whether the node is a group that orders only by priority and has a half-life of past
   * use.
   */
  private static boolean forgets(QuotaNode node) {
    return !node.isQueue() && node.share() == SharePolicy.PRIORITY && node.usageHalfLife() != null;
  }

  private static Refusal refusal(String pointer, String detail) {
    return Refusal.field(ProblemCode.CONFLICTING_FIELDS, pointer, detail, null);
  }
}
