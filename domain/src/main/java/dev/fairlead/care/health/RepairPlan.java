package dev.fairlead.care.health;

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
 * Which repairs begin, go on and end. Pure. One of a node at a time, no step while jobs hold the
 * node, and so many nodes of a cluster at a time: a wrong table or monitor must not take a cluster
 * apart.
 */
public final class RepairPlan {
  /**
   * Nodes of a cluster whose machines repair themselves at one time; people bound the others. A
   * judgement: few enough that a wrong repair is seen before many had it.
   */
  public static final int MOST = 10;

  /** How long after a repair the same fault of its node goes on with the next stronger step. */
  public static final Duration PROBATION = Duration.ofDays(7);

  private RepairPlan() {}

  /**
   * @param open repairs that have not ended
   * @param isolating open incidents of which a quarantine stands, of the same clusters
   * @param again those of them that showed again after the step of their node's repair was done
   * @param past repairs of nodes that begin to be repaired, ended lately, the newest first
   * @param busy pods of jobs by node, of nodes that have some
   * @return what is new or changed, in the order of its ids
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

  /** What is done does not hide a fault that shows later. */
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
                  "%d pods of jobs are on the node; drain it to end them sooner".formatted(pods))
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
