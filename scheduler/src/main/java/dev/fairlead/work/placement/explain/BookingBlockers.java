package dev.fairlead.work.placement.explain;

import dev.fairlead.care.booking.Booking;
import dev.fairlead.care.booking.BookingOwner;
import dev.fairlead.fleet.node.Overrun;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.ledger.NodeCapacity;
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

/** Explains which bookings close nodes that could take a job. */
final class BookingBlockers {
  /** Maximum number of bookings that are listed individually. */
  private static final int NAMED = 3;

  private static final ZoneId UTC = ZoneId.of("UTC");

  private BookingBlockers() {}

  /** Returns the bookings that have nodes for the gang, earliest start first. */
  static List<Blocker> of(GangShape gang, Fleet fleet, Instant asOf) {
    List<Blocker> blockers = new ArrayList<>();
    for (Booking booking : gang.booked().bookings()) {
      long nodes = blockers.size() < NAMED ? nodes(booking, gang, fleet) : 0;
      if (nodes > 0) {
        blockers.add(of(booking, nodes, gang.tenant(), asOf));
      }
    }
    return blockers;
  }

  /** Counts the nodes of the booking that could hold a member. */
  private static long nodes(Booking booking, GangShape gang, Fleet fleet) {
    GangShape ever = gang.booked(BookedNodes.NONE);
    long nodes = 0;
    for (ClusterCapacity cluster : fleet.clusters()) {
      if (FlavorAssignments.allows(ever, cluster)) {
        for (NodeCapacity capacity : cluster.capacities()) {
          boolean holds =
              booking.holds(capacity.node().id())
                  && ever.roles().stream()
                      .anyMatch(role -> Explainer.holds(role, cluster, capacity));
          nodes += holds ? 1 : 0;
        }
      }
    }
    return nodes;
  }

  private static Blocker of(Booking booking, long nodes, TenantId reader, Instant asOf) {
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("nodes", nodes);
    numbers.put("startsAtEpochSeconds", booking.start().getEpochSecond());
    numbers.put("endsAtEpochSeconds", booking.end().getEpochSecond());
    String text =
        "%d %s that could take it %s booked for %s from %s to %s"
            .formatted(
                nodes,
                nodes == 1 ? "node" : "nodes",
                nodes == 1 ? "is" : "are",
                subject(booking, reader),
                Wording.time(booking.start(), UTC),
                Wording.time(booking.end(), UTC));
    return new Blocker(Reason.BOOKED, Blockers.FLEET, text + inTime(booking, asOf), numbers, null);
  }

  /** Names a project only to a reader of its tenant. */
  private static String subject(Booking booking, TenantId reader) {
    BookingOwner owner = booking.owner();
    if (owner == null) {
      return "maintenance";
    }
    return owner.tenant().equals(reader) ? "project " + owner.name() : "another tenant";
  }

  private static String inTime(Booking booking, Instant asOf) {
    if (!asOf.isBefore(booking.start())) {
      return "";
    }
    return booking.overrun() == Overrun.EVICT
        ? ": before, only jobs that end by the start, or can be preempted by then, start there"
        : ": before, only jobs that end by the start start there";
  }

  /** Returns whether all nodes that could take the gang are booked. */
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

  /** Offers the longest runtime with which the job would end before future bookings begin. */
  static void shorterRuntime(GangShape gang, Instant submitted, NearMissTrial trial) {
    List<Booking> toCome =
        gang.booked().bookings().stream()
            .filter(booking -> booking.start().isAfter(submitted))
            .sorted(Comparator.comparing(Booking::start).reversed())
            .toList();
    BookedNodes left = gang.booked();
    boolean found = false;
    for (Booking booking : toCome) {
      left = left.without(booking);
      Duration before = Duration.between(submitted, booking.start());
      if (!found && before.toMinutes() > 0) {
        String to = DurationText.of(Duration.ofMinutes(before.toMinutes()));
        found = trial.offer("maxRuntime", "longer or none", to, gang.booked(left));
      }
    }
  }
}
