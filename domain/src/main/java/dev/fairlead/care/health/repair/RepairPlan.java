package dev.fairlead.care.health.repair;

import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Plans which repairs begin, continue and end. Pure. A node has one repair at a time, no step
 * begins while jobs use the node, and the number of nodes per cluster is limited, because a wrong
 * table or monitor must not disable a whole cluster.
 */
public final class RepairPlan {
  /**
   * Maximum number of nodes of a cluster with concurrent automatic repairs. Manual repairs are
   * limited by people. An estimate, small enough to detect a wrong repair before it affects many
   * nodes.
   */
  public static final int MOST = 10;

  /**
   * Time after a repair in which the same fault of its node continues with the next stronger step.
   */
  public static final Duration PROBATION = Duration.ofDays(7);

  private RepairPlan() {}

  /**
   * @param open repairs that have not ended
   * @param isolating open incidents with an active quarantine, of the same clusters
   * @param again incidents of these that reappeared after their node's repair step was completed
   * @param past recently ended repairs of nodes that begin a repair, newest first
   * @param busy pods of jobs by node, for nodes that have some
   * @return new or changed repairs, by id
   */
  public static List<Repair> changes(
      List<Repair> open,
      List<Incident> isolating,
      Set<IncidentId> again,
      Map<NodeId, List<Repair>> past,
      Map<NodeId, Long> busy,
      Supplier<RepairId> ids,
      Instant now) {
    SortedMap<NodeId, Incident> faults = new TreeMap<>();
    isolating.stream()
        .filter(incident -> incident.step().repairs())
        .forEach(incident -> faults.merge(incident.node(), incident, RepairPlan::worse));
    SortedMap<RepairId, Repair> repairs = new TreeMap<>();
    for (Repair repair : open) {
      Incident fault = faults.remove(repair.node());
      Repair next = fault == null ? repair.ended(now) : repair.goingBy(fault, now);
      repairs.put(repair.id(), fault == null ? next : afterDone(next, isolating, again));
    }
    for (Incident fault : faults.values()) {
      Repair repair =
          Probation.opened(ids.get(), fault, past.getOrDefault(fault.node(), List.of()), now);
      repairs.put(repair.id(), repair);
    }
    ask(repairs, busy, now);
    SortedMap<RepairId, Repair> before = new TreeMap<>();
    open.forEach(repair -> before.put(repair.id(), repair));
    return repairs.values().stream()
        .filter(repair -> !repair.equals(before.get(repair.id())))
        .toList();
  }

  /** A completed step does not hide a later fault. */
  private static Repair afterDone(Repair repair, List<Incident> isolating, Set<IncidentId> again) {
    Instant done = repair.doneAt();
    return done == null
        ? repair
        : isolating.stream()
            .filter(fault -> fault.node().equals(repair.node()) && fault.step().repairs())
            .filter(fault -> again.contains(fault.id()) || fault.openedAt().isAfter(done))
            .reduce(RepairPlan::worse)
            .map(fault -> repair.again(fault, again.contains(fault.id())))
            .orElse(repair);
  }

  private static Incident worse(Incident a, Incident b) {
    return b.step().compareTo(a.step()) > 0 ? b : a;
  }

  private static void ask(
      SortedMap<RepairId, Repair> repairs, Map<NodeId, Long> busy, Instant now) {
    SortedMap<ClusterId, Integer> asked = new TreeMap<>();
    repairs.values().stream()
        .filter(repair -> repair.state() == RepairState.ASKED && repair.step().quick())
        .forEach(repair -> asked.merge(repair.cluster(), 1, Integer::sum));
    List<Repair> inOrder = new ArrayList<>(repairs.values());
    inOrder.sort(Comparator.comparing(Repair::openedAt).thenComparing(Repair::id));
    for (Repair repair : inOrder) {
      if (repair.state() != RepairState.WAITING || repair.heldBy() != null) {
        continue;
      }
      boolean full = repair.step().quick() && asked.getOrDefault(repair.cluster(), 0) >= MOST;
      long pods = busy.getOrDefault(repair.node(), 0L);
      Repair next =
          pods > 0
              ? repair.waits(
                  "%d pods of jobs are on the node. Drain it to end them sooner.".formatted(pods))
              : full
                  ? repair.waits(MOST + " nodes of its cluster are being repaired")
                  : repair.asked(now);
      if (next.state() == RepairState.ASKED && next.step().quick()) {
        asked.merge(next.cluster(), 1, Integer::sum);
      }
      repairs.put(next.id(), next);
    }
  }
}
