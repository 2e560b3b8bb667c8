package dev.fairlead.work.placement;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.resources.Saturating;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.DecisionRecord.QuotaState;
import dev.fairlead.work.placement.share.GroupShares;
import dev.fairlead.work.placement.share.Share;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reports the charges of quota nodes when a job is placed. The fleet quota tree is not included.
 */
final class QuotaStates {
  private final QuotaTree tree;
  private @Nullable GroupShares shares;

  QuotaStates(QuotaTree tree) {
    this.tree = tree;
  }

  /** Returns the queue and the limited nodes above it, queue first, with their current use. */
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
   * Shares are computed only where a node borrows, because all others are zero. Returns null if the
   * group uses deserved shares, and for a node of weight zero.
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
