package dev.fairlead.work.placement.ordering;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.resources.Saturating;
import dev.fairlead.work.placement.admission.Admission;
import dev.fairlead.work.placement.admission.Charges;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.share.GroupShares;
import dev.fairlead.work.placement.share.Share;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Order of the queues, each represented by its head. Queues within their quota come first, then the
 * smaller share after admission. The policy of each group decides, level by level from the root (a
 * tournament, like Kueue's fair sharing). A group that weighs past use includes it. Ties are broken
 * by priority, submit time and id. If the platform limits its tenants, they compete at its root by
 * their use of the fleet, regardless of their own quota. A node's share changes only with use below
 * it, so after each start only the path from its queue to the root is evaluated again.
 */
public final class FairSharingOrder {
  private static final long GPU = 1000;

  private final Admission admission;
  private final History history;
  private final long fleetGpus;
  private final GroupShares shares;
  private final Tournament all = new Tournament(null, null);
  private final SortedMap<QuotaNodeId, Tournament> tournaments = new TreeMap<>();

  /**
   * @param waiting thousandths of GPUs that jobs wait for, by queue and cell. For groups that
   *     divide GPUs
   * @param gpus GPUs of each flavor in the fleet
   */
  public FairSharingOrder(
      Collection<PendingQueue> queues,
      Admission admission,
      History history,
      SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>> waiting,
      SortedMap<Flavor, Long> gpus) {
    this.admission = admission;
    this.history = history;
    fleetGpus = gpus.values().stream().mapToLong(Long::longValue).sum();
    shares = new GroupShares(admission.tree(), waiting, flavor -> gpus.getOrDefault(flavor, 0L));
    queues.forEach(this::back);
  }

  /**
   * Removes the next queue and returns it, until {@link #back} adds it again. The result is null if
   * no queue is left.
   */
  public @Nullable PendingQueue next() {
    Candidate candidate = all.winner();
    if (candidate == null) {
      return null;
    }
    judge(candidate.queue, null);
    return candidate.queue;
  }

  /** Adds a queue again, ordered by its head. A queue without a head leaves the order. */
  public void back(PendingQueue queue) {
    PendingJobEntry head = queue.head();
    judge(queue, head == null ? null : candidate(queue, head));
  }

  private void judge(PendingQueue queue, @Nullable Candidate candidate) {
    QuotaTree tree = admission.tree();
    List<QuotaNode> path = new ArrayList<>(tree.path(queue.node().id()));
    path.addAll(tree.fleetPath(queue.node().id()));
    Tournament leaf = tournament(path, 0);
    leaf.own = candidate;
    for (Tournament below = leaf; below.above != null; below = below.above) {
      below.above.enter(below, below.winner());
    }
  }

  private Tournament tournament(List<QuotaNode> path, int height) {
    if (height == path.size()) {
      return all;
    }
    QuotaNode node = path.get(height);
    Tournament known = tournaments.get(node.id());
    if (known == null) {
      known = new Tournament(node, tournament(path, height + 1));
      tournaments.put(node.id(), known);
    }
    return known;
  }

  private Candidate candidate(PendingQueue queue, PendingJobEntry head) {
    List<FlavorAssignment> assignments =
        admission.limited(queue.node().id()) ? head.equivalenceClass().assignments() : List.of();
    if (assignments.isEmpty()) {
      return new Candidate(queue, head, false, new TreeMap<>());
    }
    GangShape gang = head.equivalenceClass().shape().gang();
    Charges charges = Charges.expected(gang, assignments.getFirst(), gang.counts(0));
    return new Candidate(queue, head, borrows(queue.node(), charges.cells()), charges.cells());
  }

  /** Returns whether a queue or group would use more than its own quota of some cell. */
  private boolean borrows(QuotaNode node, SortedMap<QuotaCell, Long> more) {
    QuotaTree tree = admission.tree();
    return more.entrySet().stream()
        .anyMatch(e ->
            Saturating.plus(tree.used(node.id(), e.getKey()), e.getValue())
                > tree.subtreeQuota(node.id(), e.getKey()));
  }

  /** Ranks a child within its group. Without fair sharing only its best job counts. */
  private Entry entry(QuotaNode child, Candidate candidate) {
    return switch (shares.policy(child.parent())) {
      case PRIORITY ->
          new Entry(candidate, borrows(child, candidate.asks), false, Share.NOTHING, Share.NOTHING);
      case DOMINANT_SHARE ->
          new Entry(
              candidate,
              child.ofFleet() ? borrows(child, candidate.asks) : candidate.borrows,
              child.weight() <= 0,
              after(child, candidate),
              Share.NOTHING);
      case DESERVED_SHARE ->
          new Entry(
              candidate,
              borrows(child, candidate.asks),
              child.weight() <= 0,
              after(child, candidate),
              charged(candidate, () -> shares.besideGpus(child)));
    };
  }

  /** Returns the share of a node if the head below it started. */
  private Share after(QuotaNode node, Candidate candidate) {
    long past = history.of(node.id());
    if (candidate.asks.isEmpty()) {
      return past == 0 ? Share.NOTHING : weighed(Share.NOTHING, node, past);
    }
    Share share = charged(candidate, () -> shares.of(node, candidate.asks.keySet()));
    return past == 0 ? share : weighed(share, node, past);
  }

  /** Computes a share with the head charged. */
  private Share charged(Candidate candidate, Supplier<Share> share) {
    QuotaTree tree = admission.tree();
    QuotaNodeId queue = candidate.queue.node().id();
    candidate.asks.forEach((cell, amount) -> tree.use(queue, cell, amount));
    Share charged = share.get();
    candidate.asks.forEach((cell, amount) -> tree.free(queue, cell, amount));
    return charged;
  }

  /** Adds the node's average past use, as a fraction of the GPUs that its group could offer. */
  private Share weighed(Share now, QuotaNode node, long past) {
    long offered = shares.offered(node.parent(), ResourceNames.GPU);
    long gpus = offered <= 0 || offered == Saturating.UNLIMITED ? fleetGpus * GPU : offered;
    return now.with(past / (double) Math.max(1, gpus), node.weight());
  }

  private record Candidate(
      PendingQueue queue, PendingJobEntry head, boolean borrows, SortedMap<QuotaCell, Long> asks) {}

  /**
   * The best candidate below a child, with the rank of the child in its group.
   *
   * @param others share of resources other than GPUs, if the group divides only GPUs
   */
  private record Entry(
      Candidate candidate, boolean borrows, boolean weightless, Share share, Share others) {
    static final Comparator<Entry> ORDER =
        Comparator.comparing(Entry::borrows)
            .thenComparing(Entry::weightless)
            .thenComparing(Entry::share)
            .thenComparing(Entry::others)
            .thenComparing(e -> e.candidate.head, PendingJobEntry.ORDER);
  }

  /** A node of the tree: a queue with its candidate, or a group in which children compete. */
  private final class Tournament {
    private final @Nullable QuotaNode node;
    private final @Nullable Tournament above;
    private final TreeSet<Entry> entries = new TreeSet<>(Entry.ORDER);
    private @Nullable Entry entered;
    private @Nullable Candidate own;

    Tournament(@Nullable QuotaNode node, @Nullable Tournament above) {
      this.node = node;
      this.above = above;
    }

    @Nullable Candidate winner() {
      return own != null || entries.isEmpty() ? own : entries.first().candidate;
    }

    void enter(Tournament child, @Nullable Candidate candidate) {
      if (child.entered != null) {
        entries.remove(child.entered);
      }
      child.entered = null;
      if (candidate != null && child.node != null) {
        child.entered = entry(child.node, candidate);
        entries.add(child.entered);
      }
    }
  }
}
