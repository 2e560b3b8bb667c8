package dev.fairlead.placement.ordering;

import dev.fairlead.placement.admission.Admission;
import dev.fairlead.placement.admission.Charges;
import dev.fairlead.placement.routing.Route;
import dev.fairlead.placement.shape.GangShape;
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
  private final WeightedShare share;
  private final PriorityQueue<Turn> turns = new PriorityQueue<>(Turn.ORDER);

  public Turns(Collection<QueueLine> lines, Admission admission) {
    this.admission = admission;
    share = new WeightedShare(admission.tree());
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
      return new Turn(line, head, false, 0);
    }
    GangShape gang = head.equalJobs().shape().gang();
    Charges charges = Charges.expected(gang, routes.getFirst(), gang.counts(0));
    boolean borrows = share.borrows(line.queue(), charges);
    return new Turn(line, head, borrows, share.after(line.queue(), charges));
  }

  private record Turn(QueueLine line, Waiting head, boolean borrows, long share) {
    static final Comparator<Turn> ORDER =
        Comparator.comparing(Turn::borrows)
            .thenComparingLong(Turn::share)
            .thenComparing(Turn::head, Waiting.ORDER);
  }
}
