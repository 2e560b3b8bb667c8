package dev.fairlead.work.placement.explain;

import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.care.reservation.AdvanceReservationOwner;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.blockers.Blockers;
import dev.fairlead.work.placement.blockers.Wording;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.routing.FlavorAssignments;
import dev.fairlead.work.placement.shape.BookedNodes;
import dev.fairlead.work.placement.shape.GangShape;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Explains which advance reservations close nodes that could take a job. */
final class AdvanceReservationBlockers {
  /** Maximum number of advance reservations that are listed individually. */
  private static final int NAMED = 3;

  private static final ZoneId UTC = ZoneId.of("UTC");

  private AdvanceReservationBlockers() {}

  /** Returns the advance reservations that have nodes for the gang, earliest start first. */
  static List<Blocker> of(GangShape gang, Fleet fleet, Instant asOf) {
    List<Blocker> blockers = new ArrayList<>();
    for (AdvanceReservation advanceReservation : gang.booked().advanceReservations()) {
      long nodes = blockers.size() < NAMED ? nodes(advanceReservation, gang, fleet) : 0;
      if (nodes > 0) {
        blockers.add(of(advanceReservation, nodes, gang.tenant(), asOf));
      }
    }
    return blockers;
  }

  /** Counts the nodes of the advance reservation that could hold a member. */
  private static long nodes(AdvanceReservation advanceReservation, GangShape gang, Fleet fleet) {
    GangShape ever = gang.booked(BookedNodes.NONE);
    long nodes = 0;
    for (ClusterCapacity cluster : fleet.clusters()) {
      if (FlavorAssignments.allows(ever, cluster)) {
        for (NodeCapacity capacity : cluster.capacities()) {
          boolean holds =
              advanceReservation.holds(capacity.node().id())
                  && ever.roles().stream()
                      .anyMatch(role -> Explainer.holds(role, cluster, capacity));
          nodes += holds ? 1 : 0;
        }
      }
    }
    return nodes;
  }

  private static Blocker of(
      AdvanceReservation advanceReservation, long nodes, TenantId reader, Instant asOf) {
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("nodes", nodes);
    numbers.put("startsAtEpochSeconds", advanceReservation.start().getEpochSecond());
    numbers.put("endsAtEpochSeconds", advanceReservation.end().getEpochSecond());
    String text =
        "%d %s that could take it %s reserved for %s from %s to %s"
            .formatted(
                nodes,
                nodes == 1 ? "node" : "nodes",
                nodes == 1 ? "is" : "are",
                subject(advanceReservation, reader),
                Wording.time(advanceReservation.start(), UTC),
                Wording.time(advanceReservation.end(), UTC));
    return new Blocker(
        Reason.BOOKED, Blockers.FLEET, text + inTime(advanceReservation, asOf), numbers, null);
  }

  /** Names a project only to a reader of its tenant. */
  private static String subject(AdvanceReservation advanceReservation, TenantId reader) {
    AdvanceReservationOwner owner = advanceReservation.owner();
    if (owner == null) {
      return "maintenance";
    }
    return owner.tenant().equals(reader) ? "project " + owner.name() : "another tenant";
  }

  private static String inTime(AdvanceReservation advanceReservation, Instant asOf) {
    if (!asOf.isBefore(advanceReservation.start())) {
      return "";
    }
    return advanceReservation.leftoverPolicy() == LeftoverPolicy.EVICT
        ? ": until then, only jobs that end by the start, or can be preempted by then, start there"
        : ": until then, only jobs that end by the start can start there";
  }

  /** Returns whether all nodes that could take the gang are reserved. */
  static boolean nothingElse(GangShape gang, Fleet fleet) {
    return FlavorAssignments.of(gang, fleet).stream()
        .allMatch(assignment ->
            gang.roles().stream()
                .anyMatch(role ->
                    assignment
                        .cluster()
                        .admitting(role, assignment.models().get(role.role()))
                        .isEmpty()));
  }

  /**
   * Offers the maximum runtime with which the job would end before future advance reservations
   * begin.
   */
  static void shorterRuntime(GangShape gang, Instant submitted, NearMissTrial trial) {
    List<AdvanceReservation> toCome =
        gang.booked().advanceReservations().stream()
            .filter(advanceReservation -> advanceReservation.start().isAfter(submitted))
            .sorted(Comparator.comparing(AdvanceReservation::start).reversed())
            .toList();
    BookedNodes left = gang.booked();
    boolean found = false;
    for (AdvanceReservation advanceReservation : toCome) {
      left = left.without(advanceReservation);
      Duration before = Duration.between(submitted, advanceReservation.start());
      if (!found && before.toMinutes() > 0) {
        String to = DurationText.of(Duration.ofMinutes(before.toMinutes()));
        found = trial.offer("maxRuntime", "longer or none", to, gang.booked(left));
      }
    }
  }
}
