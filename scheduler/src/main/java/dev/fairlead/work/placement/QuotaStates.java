package dev.fairlead.work.placement;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.resources.Saturating;
import dev.fairlead.work.attempt.Member;
import dev.fairlead.work.job.DecisionRecord.QuotaState;
import dev.fairlead.work.placement.share.GroupShares;
import dev.fairlead.work.placement.share.Share;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What quota nodes were charged when a job got its place; nothing of the tree of the fleet. */
final class QuotaStates {
  private final QuotaTree tree;
  private @Nullable GroupShares shares;

  QuotaStates(QuotaTree tree) {
    this.tree = tree;
  }

  /** The queue and what is limited above it, queue first, as the tree is used now. */
  List<QuotaState> of(QuotaNodeId queue, List<Member> members) {
    List<QuotaNode> limited =
        tree.path(queue).stream().filter(node -> !node.limits().isEmpty()).toList();
    if (limited.isEmpty()) {
      return List.of();
    }
    List<Flavor> flavors =
        members.stream()
            .filter(m -> m.gpuMilli() > 0)
            .map(Member::flavor)
            .distinct()
            .sorted()
            .toList();
    List<QuotaState> states = new ArrayList<>();
    for (QuotaNode node : limited) {
      flavors.forEach(flavor -> states.add(of(node, flavor)));
    }
    return states;
  }

  private QuotaState of(QuotaNode node, Flavor flavor) {
    QuotaCell cell = new QuotaCell(flavor, ResourceNames.GPU);
    long owned = tree.subtreeQuota(node.id(), cell);
    long borrowed = tree.borrowed(node.id(), cell);
    return new QuotaState(
        node.name(),
        node.version(),
        flavor,
        tree.used(node.id(), cell),
        owned == Saturating.UNLIMITED ? null : owned,
        borrowed,
        borrowed == 0 ? Long.valueOf(0) : share(node));
  }

  /**
   * Shares are worked out only where something is borrowed: all others are zero. Null where the
   * group goes by what each deserves, and for a node of weight zero.
   */
  private @Nullable Long share(QuotaNode node) {
    GroupShares known = shares;
    if (known == null) {
      known = new GroupShares(tree);
      shares = known;
    }
    if (known.policy(node.parent()) == SharePolicy.DESERVED_SHARE) {
      return null;
    }
    Share share = known.of(node, List.of());
    return share.infinite() ? null : Long.valueOf(share.permille());
  }
}
