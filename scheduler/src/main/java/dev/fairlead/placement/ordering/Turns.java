package dev.fairlead.placement.ordering;

import dev.fairlead.placement.admission.Admission;
import dev.fairlead.placement.admission.Charges;
import dev.fairlead.placement.routing.Route;
import dev.fairlead.placement.shape.GangShape;
import dev.fairlead.placement.share.DominantShares;
import dev.fairlead.placement.share.Share;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.QuotaTree;
import dev.fairlead.resources.Saturating;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Order between queues, each standing for its head: those within their own quota first, then the
 * smaller weighted share after admission, then priority, submit time, id. A queue's rank changes
 * only with its own use, so it is computed when its head is.
 */
public final class Turns {
  private final Admission admission;
  private final DominantShares shares;
  private final PriorityQueue<Turn> turns = new PriorityQueue<>(Turn.ORDER);

  public Turns(Collection<QueueLine> lines, Admission admission) {
    this.admission = admission;
    shares = new DominantShares(admission.tree());
    lines.forEach(this::back);
  }

  /**
   * The queue whose turn it is; it takes no part until it is put {@link #back}. Null when all are
   * done.
   */
  public @Nullable QueueLine next() {
    Turn turn = turns.poll();
    return turn == null ? null : turn.line;
  }

  /** Puts a queue back in order by its head; one without takes no part any more. */
  public void back(QueueLine line) {
    Waiting head = line.head();
    if (head != null) {
      turns.add(turn(line, head));
    }
  }

  private Turn turn(QueueLine line, Waiting head) {
    List<Route> routes =
        admission.limited(line.queue().id()) ? head.equalJobs().routes() : List.of();
    if (routes.isEmpty()) {
      return new Turn(line, head, false, false, Share.NOTHING);
    }
    GangShape gang = head.equalJobs().shape().gang();
    Charges charges = Charges.expected(gang, routes.getFirst(), gang.counts(0));
    QuotaNode queue = line.queue();
    Share share = shares.of(queue.id(), charges.cells());
    return new Turn(line, head, borrows(queue, charges), queue.weight() <= 0, share);
  }

  /** Whether the queue would use more than its own quota of some cell. */
  private boolean borrows(QuotaNode queue, Charges more) {
    QuotaTree tree = admission.tree();
    return more.cells().entrySet().stream()
        .anyMatch(e ->
            Saturating.plus(tree.used(queue.id(), e.getKey()), e.getValue())
                > tree.subtreeQuota(queue.id(), e.getKey()));
  }

  private record Turn(
      QueueLine line, Waiting head, boolean borrows, boolean weightless, Share share) {
    static final Comparator<Turn> ORDER =
        Comparator.comparing(Turn::borrows)
            .thenComparing(Turn::weightless)
            .thenComparing(Turn::share)
            .thenComparing(Turn::head, Waiting.ORDER);
  }
}
