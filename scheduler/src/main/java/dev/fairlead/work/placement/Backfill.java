package dev.fairlead.work.placement;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.ReservationBuilder;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Waited;
import dev.fairlead.work.job.estimate.Runtimes;
import dev.fairlead.work.placement.backfill.BackfillPolicy;
import dev.fairlead.work.placement.backfill.EarliestStart;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.placement.ordering.EquivalenceClass;
import dev.fairlead.work.placement.ordering.PendingJobEntry;
import dev.fairlead.work.placement.reservation.Reservations;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reserves capacity for the first waiting job of each queue. A job that ends before the start of a
 * reservation may use its nodes. Each cycle recomputes the reservations by runtime, in job order.
 * Nodes that are drained for a job stay the same until it starts.
 */
final class Backfill {
  private static final Duration DRAIN = Duration.ofDays(1);

  private final Reservations reservations;
  private final EarliestStart earliest;
  private final Outcome outcome;
  private final Instant asOf;
  private final BackfillPolicy policy;
  private final SortedMap<Reservation.Key, Reservation> stored = new TreeMap<>();
  private final SortedMap<Reservation.Key, Reservation> kept = new TreeMap<>();
  private final SortedSet<QuotaNodeId> served = new TreeSet<>();
  private boolean someKnown;

  Backfill(
      Reservations reservations,
      EarliestStart earliest,
      Outcome outcome,
      Instant asOf,
      List<Reservation> before) {
    this.reservations = reservations;
    this.earliest = earliest;
    this.outcome = outcome;
    this.asOf = asOf;
    policy = BackfillPolicy.DEFAULT;
    for (Reservation reservation : before) {
      if (reservation.kind() == Reservation.Kind.BACKFILL) {
        stored.put(reservation.key(), reservation);
      }
    }
  }

  /**
   * Returns the reservations that the job may use because it ends before their nodes are needed.
   */
  List<Reservation.Key> usable(Job job) {
    if (!someKnown) {
      return List.of();
    }
    Instant end = Runtimes.end(job, reservations.admission().tree(), asOf);
    if (end == null) {
      return List.of();
    }
    return kept.values().stream()
        .filter(r -> r.startsAt() != null && !end.isAfter(r.startsAt()))
        .map(Reservation::key)
        .toList();
  }

  /**
   * Records that the job found no nodes. The first job of its queue that can ever start gets a
   * future reservation.
   */
  void refused(PendingJobEntry waiting, int element) {
    EquivalenceClass equivalenceClass = waiting.equivalenceClass();
    Job job = waiting.job();
    if (served.contains(job.queue())
        || kept.size() >= policy.most()
        || job.priority() < policy.leastPriority()
        || !equivalenceClass.supported()
        || !equivalenceClass.hopeless().isEmpty()) {
      return;
    }
    boolean drains = Waited.inAll(job, asOf).compareTo(policy.drainAfter()) >= 0;
    EarliestStart.Found found =
        earliest.of(job, equivalenceClass.shape(), equivalenceClass.assignments(), drains);
    if (found == null) {
      return;
    }
    served.add(job.queue());
    Reservation reservation = reservation(job, element, found);
    reservations.add(reservation, job);
    kept.put(reservation.key(), reservation);
    someKnown |= reservation.startsAt() != null;
    if (!same(stored.remove(reservation.key()), reservation)) {
      outcome.reserve(new Decision.Reserve(job.id(), job.version(), reservation));
    }
  }

  /**
   * Drops the stored reservation of a job that preempts others, because the capacity of its victims
   * is reserved instead.
   */
  void preempts(Job job, int element) {
    stored.remove(new Reservation.Key(job.id(), element));
  }

  /** Releases the stored reservations that are no longer needed. */
  void finish() {
    stored.values().forEach(outcome::release);
  }

  private Reservation reservation(Job job, int element, EarliestStart.Found found) {
    Instant at = found.at();
    return ReservationBuilder.builder()
        .job(job.id())
        .element(element)
        .kind(at == null ? Reservation.Kind.DRAIN : Reservation.Kind.BACKFILL)
        .cluster(found.assignment().cluster().cluster().id())
        .members(Outcome.members(found.assignment(), found.members()))
        .victims(found.awaited())
        .createdAt(asOf)
        .startsAt(at)
        .expiresAt((at == null ? asOf : at).plus(DRAIN))
        .build();
  }

  private static boolean same(@Nullable Reservation before, Reservation now) {
    return before != null
        && before.kind() == now.kind()
        && before.cluster().equals(now.cluster())
        && java.util.Objects.equals(before.startsAt(), now.startsAt())
        && nodeGpus(before).equals(nodeGpus(now));
  }

  /**
   * Includes the GPUs, because a job with a reservation is tried while the stored reservations
   * still count.
   */
  private static List<NodeGpus> nodeGpus(Reservation reservation) {
    return reservation.members().stream().map(m -> new NodeGpus(m.node(), m.gpus())).toList();
  }

  private record NodeGpus(NodeId node, List<GpuShare> gpus) {}
}
