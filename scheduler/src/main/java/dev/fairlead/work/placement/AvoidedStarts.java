package dev.fairlead.work.placement;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.placement.gang.ElementPlacer;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.node.Undo;
import dev.fairlead.work.placement.routing.FlavorAssignments;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.JobShape;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reserved starts that are blocked because their free nodes failed the job recently. Releasing such
 * a reservation would evict other jobs for the same job.
 */
final class AvoidedStarts {
  private final Fleet fleet;
  private final ElementPlacer placer;
  private final Ledger ledger;

  AvoidedStarts(Fleet fleet, ElementPlacer placer, Ledger ledger) {
    this.fleet = fleet;
    this.placer = placer;
    this.ledger = ledger;
  }

  /**
   * Returns the end of the back-off, when the job can start on its reserved nodes. The result is
   * null if no reserved node is avoided, if the job could not start at that time either, or if the
   * reservation expires first.
   */
  @Nullable Instant startsAt(Reservation reservation, JobShape shape) {
    Instant tried = triedFrom(reservation, shape);
    return tried == null || !tried.isBefore(reservation.expiresAt()) ? null : tried;
  }

  /** Returns the same time as {@link #startsAt}, but ignores the expiry of the reservation. */
  @Nullable Instant triedFrom(Reservation reservation, JobShape shape) {
    Instant until = avoidedUntil(reservation, shape.gang());
    return until != null && starts(shape.queue(), shape.gang(), until) ? until : null;
  }

  private @Nullable Instant avoidedUntil(Reservation reservation, GangShape gang) {
    Instant until = null;
    for (Member member : reservation.members()) {
      for (SortedMap<NodeId, Instant> avoided :
          List.of(gang.backsOff(), fleet.backOffs().everybody())) {
        Instant end = avoided.get(member.node());
        until = end != null && (until == null || end.isAfter(until)) ? end : until;
      }
    }
    return until;
  }

  private boolean starts(QuotaNodeId queue, GangShape gang, Instant then) {
    SortedMap<NodeId, Instant> own = new TreeMap<>(gang.backsOff());
    own.values().removeIf(end -> !end.isAfter(then));
    GangShape forgiving = gang.avoiding(own);
    Undo present = fleet.forgive(then);
    int mark = ledger.mark();
    boolean starts = placer.start(queue, forgiving, FlavorAssignments.of(forgiving, fleet)) != null;
    ledger.undo(mark);
    present.run();
    return starts;
  }
}
