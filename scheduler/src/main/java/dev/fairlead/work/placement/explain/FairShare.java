package dev.fairlead.work.placement.explain;

import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.kernel.resources.Saturating;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.admission.Charges;
import dev.fairlead.work.placement.admission.Shortfall;
import dev.fairlead.work.placement.blockers.Blockers;
import dev.fairlead.work.placement.reservation.Reservations;
import dev.fairlead.work.placement.share.GroupShares;
import dev.fairlead.work.placement.share.Share;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Explains why a queue that may preempt by fair share preempts nothing: with the job, it would have
 * the same share as the largest borrower. Shares are those used for the victim search, after all
 * terminating attempts have left and all reservations are used.
 */
final class FairShare {
  private static final double MILLI = 1000;

  private final Reservations reservations;
  private @Nullable QuotaTree future;
  private @Nullable GroupShares shares;

  FairShare(Reservations reservations) {
    this.reservations = reservations;
  }

  /**
   * Returns a blocker if only groups above the queue refuse, the queue may preempt by fair share,
   * and in each of these groups its side would not have a smaller share than every other borrowing
   * side. The result is empty if a group uses deserved shares, and for a queue of weight zero.
   *
   * @param refused the shortfalls of the charges
   */
  Optional<Blocker> refuses(QuotaNodeId queue, Charges charges, List<Shortfall> refused) {
    PreemptionRules rules =
        reservations
            .admission()
            .tree()
            .node(queue)
            .map(QuotaNode::preemption)
            .orElse(PreemptionRules.NONE);
    boolean takes = rules.fairShare() && rules.reclaim() != PreemptionRules.Reclaim.NEVER;
    boolean byGroups =
        !refused.isEmpty()
            && refused.stream()
                .noneMatch(s -> s.nonPreemptible() || s.refusing().id().equals(queue));
    if (!takes || !byGroups) {
      return Optional.empty();
    }
    QuotaTree tree = future == null ? reservations.futureQuota() : future;
    GroupShares now = future == null || shares == null ? new GroupShares(tree) : shares;
    future = tree;
    shares = now;
    if (!withinLimits(tree, queue, charges.cells())) {
      return Optional.empty();
    }
    charges.cells().forEach((cell, amount) -> tree.use(queue, cell, amount));
    Optional<Blocker> blocker = compared(tree, now, queue, charges.cells().keySet());
    charges.cells().forEach((cell, amount) -> tree.free(queue, cell, amount));
    return blocker;
  }

  /** Returns whether the queue's own limits allow the amounts, regardless of availability. */
  private static boolean withinLimits(
      QuotaTree tree, QuotaNodeId queue, SortedMap<QuotaCell, Long> asks) {
    return tree.node(queue).stream()
        .flatMap(node -> node.limits().stream())
        .allMatch(limit -> {
          QuotaCell cell = new QuotaCell(limit.flavor(), limit.resource());
          Long borrowing = limit.borrowingLimit();
          long most =
              borrowing == null
                  ? Saturating.UNLIMITED
                  : Saturating.plus(tree.subtreeQuota(queue, cell), borrowing);
          return Saturating.plus(tree.used(queue, cell), asks.getOrDefault(cell, 0L)) <= most;
        });
  }

  /**
   * Compares the shares with the job charged and reports the lowest group in which a queue borrows.
   */
  private static Optional<Blocker> compared(
      QuotaTree tree, GroupShares now, QuotaNodeId queue, Set<QuotaCell> cells) {
    List<QuotaNode> path = tree.path(queue);
    Blocker found = null;
    for (int height = 1; height < path.size(); height++) {
      QuotaNode ours = path.get(height - 1);
      Share with = now.of(ours, cells);
      if (now.policy(ours.parent()) == SharePolicy.DESERVED_SHARE || with.infinite()) {
        return Optional.empty();
      }
      QuotaNode most = borrowsMost(tree, n -> now.of(n, cells), path.get(height), ours);
      if (most != null && with.compareTo(now.of(most, cells)) < 0) {
        return Optional.empty();
      }
      if (most != null && found == null) {
        found = blocker(ours, with, most, now.of(most, cells));
      }
    }
    return Optional.ofNullable(found);
  }

  private static @Nullable QuotaNode borrowsMost(
      QuotaTree tree, Function<QuotaNode, Share> share, QuotaNode group, QuotaNode ours) {
    return tree.nodes().stream()
        .filter(n -> group.id().equals(n.parent()) && !n.id().equals(ours.id()))
        .filter(n -> !share.apply(n).isZero())
        .max(Comparator.comparing(share))
        .orElse(null);
  }

  private static Blocker blocker(QuotaNode ours, Share with, QuotaNode most, Share theirs) {
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("sharePermille", with.permille());
    numbers.put("otherSharePermille", theirs.permille());
    String text =
        ("with it '%s' would have a share of %s, '%s' has the largest of the others, %s: by fair share a queue only gives "
                + "capacity to a queue that has less afterwards")
            .formatted(ours.name(), share(with), most.name(), share(theirs));
    return new Blocker(Reason.FAIR_SHARE, Blockers.queue(ours.name()), text, numbers, null);
  }

  private static String share(Share share) {
    return String.format(Locale.ROOT, "%.3f", share.permille() / MILLI);
  }
}
