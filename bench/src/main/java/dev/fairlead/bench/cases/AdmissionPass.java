package dev.fairlead.bench.cases;

import dev.fairlead.placement.preemption.RunningJob;
import dev.fairlead.placement.preemption.Victim;
import dev.fairlead.placement.share.DominantShares;
import dev.fairlead.placement.share.Share;
import dev.fairlead.quota.PreemptionRules;
import dev.fairlead.quota.QuotaCell;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.quota.QuotaTree;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** One pass over the heads of all queues: each is checked against what those before it took. */
final class AdmissionPass {
  private final QuotaTree tree;
  private final Topologies topologies;
  private final boolean fair;
  private final List<Head> admitted = new ArrayList<>();
  private final List<Victim> evicted = new ArrayList<>();

  AdmissionPass(QuotaTree tree, Topologies topologies, boolean fair) {
    this.tree = tree;
    this.topologies = topologies;
    this.fair = fair;
  }

  List<Head> admitted() {
    return admitted;
  }

  List<Victim> evicted() {
    return evicted;
  }

  void run(List<Head> heads) {
    List<Head> left = new ArrayList<>(heads);
    left.removeIf(Head::hopeless);
    while (!left.isEmpty()) {
      Head next = fair ? fairest(left) : left.stream().min(order()).orElseThrow();
      left.remove(next);
      serve(next);
    }
  }

  private static Comparator<Head> order() {
    return Comparator.comparingInt((Head h) -> h.flavors().standing().height())
        .thenComparing(Head::job, Head.FIRST);
  }

  /**
   * The head whose nodes have the smallest share after it, decided level by level from the root.
   */
  private Head fairest(List<Head> heads) {
    Head best = heads.getFirst();
    for (Head head : heads.subList(1, heads.size())) {
      int byShare = after(head, best).compareTo(after(best, head));
      if (byShare < 0 || byShare == 0 && Head.FIRST.compare(head.job(), best.job()) < 0) {
        best = head;
      }
    }
    return best;
  }

  /** Share that the head's side of two would have with it, just below where both sides meet. */
  private Share after(Head head, Head other) {
    List<QuotaNodeId> otherPath = tree.path(other.queue()).stream().map(QuotaNode::id).toList();
    QuotaNodeId side = head.queue();
    for (QuotaNode node : tree.path(head.queue())) {
      if (otherPath.contains(node.id())) {
        break;
      }
      side = node.id();
    }
    use(head.queue(), head.flavors().use(), 1);
    Share share = new DominantShares(tree).of(side);
    use(head.queue(), head.flavors().use(), -1);
    return share;
  }

  private void serve(Head head) {
    if (!head.fits() && head.victims().isEmpty()) {
      reserve(head);
      return;
    }
    boolean claimed =
        head.victims().stream()
            .anyMatch(v -> evicted.stream().anyMatch(e -> e.job().equals(v.job())));
    if (claimed || !stillFits(head)) {
      return;
    }
    use(head.queue(), head.flavors().use(), 1);
    if (head.fits()) {
      admitted.add(head);
    } else {
      evicted.addAll(head.victims());
      head.victims().forEach(v -> topologies.release(v.job(), -1));
      topologies.take(head.groups(), head.flavors());
    }
  }

  private boolean stillFits(Head head) {
    List<RunningJob> gone = new ArrayList<>(evicted.stream().map(Victim::job).toList());
    head.victims().forEach(v -> gone.add(v.job()));
    gone.forEach(job -> use(job.queue(), job.use(), -1));
    boolean quota =
        head.flavors().use().entrySet().stream()
            .allMatch(e -> e.getValue() <= tree.available(head.queue(), e.getKey()));
    gone.forEach(job -> use(job.queue(), job.use(), 1));
    if (!quota || !head.fits()) {
      return quota
          && (head.placedLater() || topologies.places(head.groups(), head.flavors(), left(head)));
    }
    return head.placedLater() || topologies.take(head.groups(), head.flavors());
  }

  private static List<RunningJob> left(Head head) {
    return head.victims().stream().map(Victim::job).toList();
  }

  /**
   * A head that cannot start yet keeps what is its queue's own, unless it can always reclaim it.
   */
  private void reserve(Head head) {
    QuotaNode queue = tree.node(head.queue()).orElseThrow();
    if (queue.preemption().reclaim() == PreemptionRules.Reclaim.ANY) {
      return;
    }
    SortedMap<QuotaCell, Long> kept = new TreeMap<>();
    boolean borrows = head.flavors().standing().height() > 0;
    for (Map.Entry<QuotaCell, Long> asked : head.flavors().use().entrySet()) {
      long own =
          tree.nominal(head.queue(), asked.getKey()) - tree.used(head.queue(), asked.getKey());
      long most = borrows ? asked.getValue() : Math.max(0, Math.min(asked.getValue(), own));
      kept.put(asked.getKey(), most);
    }
    use(head.queue(), kept, 1);
  }

  private void use(QuotaNodeId queue, Map<QuotaCell, Long> amounts, int sign) {
    amounts.forEach((cell, amount) -> {
      if (sign > 0) {
        tree.use(queue, cell, amount);
      } else {
        tree.free(queue, cell, amount);
      }
    });
  }
}
