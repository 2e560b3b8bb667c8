package dev.fairlead.verify.simulation.world;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.event.FleetEvents;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;

/** Counters against rows: nodes, GPUs, quota, versions of events. */
public final class CounterInvariants {
  private static final int PAGE = 1000;

  private final MemoryStores stores;
  private final Map<UUID, Long> versions = new HashMap<>();
  private final Map<NodeId, ResourceVector> physical = new HashMap<>();
  private final Predicate<ClusterId> follows;
  private EventPosition position = EventPosition.START;

  /**
   * @param follows whether the ledger of the cluster records pods even beyond its capacity
   */
  public CounterInvariants(MemoryStores stores, Predicate<ClusterId> follows) {
    this.stores = stores;
    this.follows = follows;
  }

  public void check(List<Attempt> live) {
    nodes(live);
    quota(live);
    events();
  }

  private void nodes(List<Attempt> live) {
    Map<NodeId, ResourceVector> held = new HashMap<>();
    Map<String, Integer> shares = new HashMap<>();
    for (Attempt attempt : live) {
      for (Member m : attempt.members()) {
        held.merge(m.node(), m.request(), ResourceVector::plus);
        m.gpus().forEach(g -> shares.merge(m.node() + "/" + g.index(), g.milli(), Integer::sum));
      }
    }
    stores.inventory().nodes(null).forEach(n -> held.putIfAbsent(n.id(), ResourceVector.ZERO));
    held.forEach((id, sum) -> {
      Node node = stores.inventory().node(id).orElseThrow();
      ResourceVector most =
          physical.merge(id, node.allocatable(), (a, b) -> a.gpuMilli() >= b.gpuMilli() ? a : b);
      if (!node.allocated().equals(sum)) {
        throw new InvariantBroken(
            Invariant.COUNTERS_EQUAL_ROWS, node.name() + " " + node.allocated() + " is not " + sum);
      }
      if (!sum.fitsIn(most) && !follows.test(node.cluster())) {
        throw new InvariantBroken(
            Invariant.NODE_NOT_OVER_ALLOCATED, node.name() + " holds " + sum + " of " + most);
      }
      for (Gpu gpu : node.gpus()) {
        int taken = shares.getOrDefault(id + "/" + gpu.index(), 0);
        if (taken != gpu.allocatedMilli()) {
          throw new InvariantBroken(
              Invariant.COUNTERS_EQUAL_ROWS, node.name() + " GPU " + gpu.index());
        }
        if (taken > Gpu.WHOLE_MILLI) {
          throw new InvariantBroken(
              Invariant.NODE_NOT_OVER_ALLOCATED, node.name() + " GPU " + gpu.index());
        }
      }
    });
  }

  private void quota(List<Attempt> live) {
    SortedMap<QuotaCell, Long> rows = new TreeMap<>();
    SortedMap<QuotaCell, Long> nonPreemptibleRows = new TreeMap<>();
    for (Attempt attempt : live) {
      attempt.charges().forEach((cell, n) -> rows.merge(cell, n, Long::sum));
      if (stores.jobs().findAll(List.of(attempt.job())).getFirst().spec().nonPreemptible()) {
        attempt.charges().forEach((cell, n) -> nonPreemptibleRows.merge(cell, n, Long::sum));
      }
    }
    for (QuotaNode node : stores.quotas().allNodes()) {
      if (node.queue() == null) {
        continue;
      }
      SortedMap<QuotaCell, Long> counted = new TreeMap<>();
      SortedMap<QuotaCell, Long> nonPreemptible = new TreeMap<>();
      for (QuotaUse use : stores.quotas().allUses()) {
        if (use.node().equals(node.id())) {
          counted.put(use.cell(), use.used());
          if (use.nonPreemptible() != 0) {
            nonPreemptible.put(use.cell(), use.nonPreemptible());
          }
        }
      }
      if (!node.limits().isEmpty() && !nonPreemptible.equals(nonPreemptibleRows)) {
        throw new InvariantBroken(
            Invariant.COUNTERS_EQUAL_ROWS,
            "non-preemptible use " + nonPreemptible + " is not " + nonPreemptibleRows);
      }
      if (!counted.equals(rows)) {
        throw new InvariantBroken(
            Invariant.COUNTERS_EQUAL_ROWS, "quota " + counted + " is not " + rows);
      }
      for (QuotaLimit limit : node.limits()) {
        long used = counted.getOrDefault(new QuotaCell(limit.flavor(), limit.resource()), 0L);
        if (limit.nominal() != null && used > limit.nominal()) {
          throw new InvariantBroken(Invariant.QUOTA_NOT_EXCEEDED, used + " of " + limit);
        }
      }
    }
  }

  private void events() {
    List<EventRecord> page;
    do {
      page = stores.events().after(position, PAGE);
      for (EventRecord event : page) {
        position = event.position();
        if (event.subject() != IdKind.JOB) {
          fleet(event);
          continue;
        }
        long before = versions.getOrDefault(event.subjectId(), 0L);
        if (event.version() != before && event.version() != before + 1) {
          throw new InvariantBroken(
              Invariant.EVENTS_WITHOUT_GAP, "version " + event.version() + " after " + before);
        }
        versions.put(event.subjectId(), event.version());
      }
    } while (page.size() == PAGE);
  }

  /** A change of an incident or a quarantine has one event, even if it is repeated. */
  private void fleet(EventRecord event) {
    boolean episode = event.subject() == IdKind.INCIDENT || event.subject() == IdKind.QUARANTINE;
    if (!episode || !event.tenant().equals(FleetEvents.FLEET)) {
      return;
    }
    Long before = versions.put(event.subjectId(), event.version());
    if (before == null ? event.version() != 1 : event.version() <= before) {
      throw new InvariantBroken(
          Invariant.EVENTS_WITHOUT_GAP,
          event.fact().type() + " of version " + event.version() + " after " + before);
    }
  }
}
