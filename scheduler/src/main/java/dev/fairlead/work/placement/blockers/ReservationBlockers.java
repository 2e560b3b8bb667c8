package dev.fairlead.work.placement.blockers;

import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.admission.Shortfall;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Explains capacity that is reserved for other jobs: the amount, the flavor and the end. Jobs are
 * not named, because all jobs of a shape share an explanation and not every reader may see them.
 */
public final class ReservationBlockers {
  /** Maximum number of reservations that are listed individually. */
  private static final int NAMED = 3;

  private ReservationBlockers() {}

  /**
   * Explains that the job would start without these reservations. Reservations for jobs of other
   * tenants are mentioned without numbers.
   *
   * @param kept reservations for jobs of the same tenant
   * @param foreign whether jobs of other tenants have further reservations, true if {@code kept} is
   *     empty
   */
  public static Blocker places(List<Reservation> kept, boolean foreign) {
    if (kept.isEmpty()) {
      String text =
          "would start, but capacity is reserved for earlier waiting jobs of other tenants";
      return Blockers.of(Reason.RESERVATION_CONFLICT, Blockers.FLEET, text, null);
    }
    long gpuMilli =
        kept.stream()
            .flatMap(r -> r.members().stream())
            .mapToLong(m -> m.request().gpuMilli())
            .sum();
    SortedMap<String, Long> numbers = numbers(kept);
    numbers.put("reservedGpuMilli", gpuMilli);
    String what =
        gpuMilli > 0
            ? Wording.amount(ResourceNames.GPU, gpuMilli) + " GPUs are reserved"
            : "nodes are reserved";
    String text =
        "would start, but %s for %d waiting %s before it: %s%s"
            .formatted(
                what,
                kept.size(),
                kept.size() == 1 ? "job" : "jobs",
                each(kept),
                foreign ? "; and more for jobs of other tenants" : "");
    return new Blocker(Reason.RESERVATION_CONFLICT, Blockers.FLEET, text, numbers, null);
  }

  /**
   * Explains that too little quota remains after all terminating attempts have left and these
   * reservations are used.
   *
   * @param kept the reservations that count at the refusing node
   */
  public static Blocker quota(Shortfall shortfall, List<Reservation> kept) {
    QuotaCell cell = shortfall.cell();
    String node = shortfall.refusing().name();
    long available = Math.max(0, shortfall.available());
    long reserved = kept.stream().mapToLong(r -> r.charges().getOrDefault(cell, 0L)).sum();
    String text =
        "needs %s %s of %s, quota of '%s' leaves %s%s in addition to the %s reserved for %d waiting %s: %s"
            .formatted(
                Wording.amount(cell.resource(), shortfall.asked()),
                cell.resource(),
                cell.flavor().text(),
                node,
                Wording.amount(cell.resource(), available),
                shortfall.nonPreemptible() ? " to jobs that are not preemptible" : "",
                Wording.amount(cell.resource(), reserved),
                kept.size(),
                kept.size() == 1 ? "job" : "jobs",
                each(kept));
    String unit = Wording.unit(cell.resource());
    SortedMap<String, Long> numbers = numbers(kept);
    numbers.put("needed" + unit, shortfall.asked());
    numbers.put("available" + unit, available);
    numbers.put("reserved" + unit, reserved);
    return new Blocker(Reason.RESERVATION_CONFLICT, Blockers.queue(node), text, numbers, null);
  }

  /**
   * Explains that the job would start on spares.
   *
   * @param assignments flavor assignments of the job, used to omit other pools
   */
  public static Optional<Blocker> spares(
      List<FlavorAssignment> assignments, List<NodeCapacity> spares) {
    SortedMap<String, Long> numbers = new TreeMap<>();
    List<String> pools = new ArrayList<>();
    long nodes = 0;
    long gpus = 0;
    for (ClusterCapacity cluster :
        assignments.stream().map(FlavorAssignment::cluster).distinct().toList()) {
      NodePool pool = cluster.pool();
      List<NodeCapacity> own = spares.stream().filter(cluster::has).toList();
      if (pool != null && !own.isEmpty()) {
        nodes += own.size();
        gpus += own.stream().mapToLong(capacity -> capacity.slots().size()).sum();
        pools.add("pool %s (%s)".formatted(pool.name(), pool.spares().text()));
      }
    }
    numbers.put("spareNodes", nodes);
    numbers.put("spareGpus", gpus);
    String text =
        "would start, but %d %s with %d GPUs %s reserved as %s of %s for gangs that lose a node to a fault"
            .formatted(
                nodes,
                nodes == 1 ? "node" : "nodes",
                gpus,
                nodes == 1 ? "is" : "are",
                nodes == 1 ? "spare" : "spares",
                String.join(" and ", pools.stream().distinct().toList()));
    return nodes == 0
        ? Optional.empty()
        : Optional.of(
            new Blocker(Reason.RESERVATION_CONFLICT, Blockers.FLEET, text, numbers, null));
  }

  private static SortedMap<String, Long> numbers(List<Reservation> kept) {
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("jobs", (long) kept.size());
    kept.stream()
        .map(ReservationBlockers::time)
        .max(Instant::compareTo)
        .ifPresent(last -> numbers.put("lastEpochSeconds", last.getEpochSecond()));
    return numbers;
  }

  private static String each(List<Reservation> kept) {
    List<String> each = new ArrayList<>();
    for (Reservation r : kept.subList(0, Math.min(NAMED, kept.size()))) {
      each.add(amounts(r) + (r.startsAt() == null ? " until " : " needed from ") + time(r));
    }
    return String.join("; ", each)
        + (kept.size() > NAMED ? "; and " + (kept.size() - NAMED) + " more" : "");
  }

  /** Returns the start of the reservation if it is known, else its expiry. */
  private static Instant time(Reservation kept) {
    Instant starts = kept.startsAt();
    return starts == null ? kept.expiresAt() : starts;
  }

  /** Returns GPUs by flavor, or CPU and memory for flavors without GPUs. */
  private static String amounts(Reservation kept) {
    SortedMap<Flavor, List<String>> byFlavor = new TreeMap<>();
    SortedMap<QuotaCell, Long> charges = kept.charges();
    for (Map.Entry<QuotaCell, Long> charge : charges.entrySet()) {
      QuotaCell cell = charge.getKey();
      boolean reported =
          cell.resource().equals(ResourceNames.GPU)
              || !charges.containsKey(new QuotaCell(cell.flavor(), ResourceNames.GPU));
      if (reported) {
        byFlavor
            .computeIfAbsent(cell.flavor(), f -> new ArrayList<>())
            .add(Wording.amount(cell.resource(), charge.getValue()) + " " + cell.resource());
      }
    }
    List<String> flavors = new ArrayList<>();
    byFlavor.forEach((flavor, all) -> flavors.add(String.join(", ", all) + " of " + flavor.text()));
    return String.join(" and ", flavors);
  }
}
