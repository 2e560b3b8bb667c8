package dev.fairlead.care.health.service.repair;

import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairId;
import dev.fairlead.care.health.repair.RepairPlan;
import dev.fairlead.care.health.repair.RepairState;
import dev.fairlead.care.health.repair.RepairStore;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.OutOfUse;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.IndependentSteps;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.meter.GaugeRows;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.kernel.transaction.Transactions;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.DoubleSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Starts the repair of each node that an incident isolates. Requests the repair step when no job
 * remains on the node, from the cluster's repairer if it accepts that step. Ends the repair with
 * the quarantine.
 */
@Component
public class RepairLoop extends LeasedLoop {
  private static final Logger LOG = LoggerFactory.getLogger(RepairLoop.class);
  private static final Duration IDLE = Duration.ofSeconds(5);
  private static final Duration LOOK_EVERY = Duration.ofSeconds(10);

  /**
   * Interval at which quarantines of nodes with a requested step are extended, well before they
   * expire.
   */
  private static final Duration KEEP_EVERY = Duration.ofMinutes(1);

  private static final Duration KEPT_FOR = Duration.ofDays(731);
  private static final int PAST = 20;
  private static final int MOST_FORGOTTEN = 500;

  private final RepairStore repairs;
  private final OutOfUse outOfUse;
  private final HealthStore health;
  private final InventoryStore inventory;
  private final RepairTasks tasks;
  private final Transactions transactions;
  private final IdSource ids;
  private final InstantSource clock;
  private final MeterRegistry metrics;
  private final GaugeRows overdue;
  private final Recurring look;
  private final Recurring keep;

  public RepairLoop(
      Leases leases,
      RepairStore repairs,
      OutOfUse outOfUse,
      HealthStore health,
      InventoryStore inventory,
      RepairTasks tasks,
      Transactions transactions,
      IdSource ids,
      InstantSource clock,
      MeterRegistry metrics) {
    super("repairs", "supervisor", IDLE, leases);
    this.repairs = repairs;
    this.outOfUse = outOfUse;
    this.health = health;
    this.inventory = inventory;
    this.tasks = tasks;
    this.transactions = transactions;
    this.ids = ids;
    this.clock = clock;
    this.metrics = metrics;
    this.overdue = new GaugeRows(metrics, Metric.REPAIR_OVERDUE);
    this.look = Recurring.fromNowOn(leases.clock(), LOOK_EVERY);
    this.keep = Recurring.fromNowOn(leases.clock(), KEEP_EVERY);
  }

  @Override
  protected boolean turn(HeldLease lease) {
    IndependentSteps steps = new IndependentSteps();
    if (look.due()) {
      look.done();
      steps.run(() -> look(lease));
      steps.run(() -> forgetOld(lease));
      steps.run(() -> tasks.turn(lease));
    }
    if (keep.due()) {
      keep.done();
      Set<ClusterId> clusters = new TreeSet<>();
      repairs.open().stream().filter(Repair::keepsOut).forEach(r -> clusters.add(r.cluster()));
      clusters.forEach(cluster -> steps.run(() -> keepOut(lease, cluster)));
    }
    steps.rethrow();
    return false;
  }

  /** Begins, changes and ends repairs by the faults of nodes. */
  private void look(HeldLease lease) {
    Instant now = clock.instant();
    List<Repair> open = repairs.open();
    List<Incident> faults = new ArrayList<>();
    for (Cluster cluster : inventory.clusters()) {
      faults.addAll(health.isolating(cluster.id()));
    }
    Set<RepairId> known = new TreeSet<>();
    open.forEach(repair -> known.add(repair.id()));
    SortedMap<NodeId, List<Repair>> past = past(open, faults);
    RepairPlan.changes(
            open,
            faults,
            again(open, faults, now),
            past,
            busy(open, faults),
            () -> new RepairId(ids.next()),
            now)
        .forEach(repair -> {
          boolean begins = !known.contains(repair.id());
          if (written(lease, repair, !begins) && begins) {
            RepairSteps.between(metrics, past.getOrDefault(repair.node(), List.of()), now);
          }
        });
    showOverdue(open, now);
  }

  private void forgetOld(HeldLease lease) {
    Instant before = clock.instant().minus(KEPT_FOR);
    int _ = transactions.callFenced(lease, () -> repairs.forget(before, MOST_FORGOTTEN));
  }

  @Override
  protected void forget() {
    overdue.show(Map.of());
    tasks.forget();
  }

  /**
   * Publishes overdue repairs, except for nodes that a campaign has out of service for maintenance.
   */
  private void showOverdue(List<Repair> open, Instant now) {
    Set<NodeId> worked = outOfUse.nodes();
    TreeMap<RepairStep, Long> counts = new TreeMap<>();
    Stream.of(RepairStep.values()).filter(RepairStep::repairs).forEach(s -> counts.put(s, 0L));
    open.stream()
        .filter(repair -> repair.overdue(now) && !worked.contains(repair.node()))
        .forEach(repair -> counts.merge(repair.step(), 1L, Long::sum));
    Map<List<String>, DoubleSupplier> rows = new HashMap<>();
    counts.forEach((step, count) -> rows.put(List.of(step.name()), () -> count));
    overdue.show(rows);
  }

  /**
   * Extends the quarantine of nodes with a requested or held step. Otherwise the nodes would accept
   * jobs during the repair. Extends it when less than half of the time is left, so twice a day.
   */
  private void keepOut(HeldLease lease, ClusterId cluster) {
    transactions.runFenced(
        lease,
        () -> {
          health.enter(cluster);
          Set<NodeId> nodes = new TreeSet<>();
          repairs.open().stream().filter(Repair::keepsOut).forEach(r -> nodes.add(r.node()));
          Instant end = clock.instant().plus(Quarantine.UNHELD);
          Instant soon = end.minus(Quarantine.UNHELD.dividedBy(2));
          List<Quarantine> kept = new ArrayList<>();
          for (Quarantine standing : health.standing(cluster)) {
            Quarantine longer = standing.kept(end);
            boolean due = nodes.contains(standing.node()) && standing.due(soon);
            if (due && !longer.equals(standing)) { // unchanged for a quarantine of a domain
              kept.add(longer);
            }
          }
          if (!kept.isEmpty()) {
            health.write(kept);
          }
        });
  }

  /**
   * Returns faults of devices that reported the same code again after the repair step of their
   * node.
   */
  private Set<IncidentId> again(List<Repair> open, List<Incident> faults, Instant now) {
    SortedMap<NodeId, Instant> done = new TreeMap<>();
    for (Repair repair : open) {
      Instant at = repair.doneAt();
      if (at != null) {
        done.put(repair.node(), at);
      }
    }
    Set<IncidentId> again = new TreeSet<>();
    for (Incident fault : faults) {
      Instant since = done.get(fault.node());
      String gpu = fault.gpu();
      if (since != null
          && gpu != null
          && health.seen(fault.cluster(), gpu, fault.xid(), since, now).stream()
              .anyMatch(since::isBefore)) {
        again.add(fault.id());
      }
    }
    return again;
  }

  /** Returns the latest repairs of nodes that need a repair and have no open one. */
  private SortedMap<NodeId, List<Repair>> past(List<Repair> open, List<Incident> faults) {
    Set<NodeId> nodes = new TreeSet<>();
    faults.stream().filter(fault -> fault.step().repairs()).forEach(f -> nodes.add(f.node()));
    open.forEach(repair -> nodes.remove(repair.node()));
    SortedMap<NodeId, List<Repair>> past = new TreeMap<>();
    nodes.forEach(node -> past.put(node, repairs.repairs(node, false, null, PAST)));
    return past;
  }

  /** Returns the number of job pods on nodes with an open repair or with a fault. */
  private SortedMap<NodeId, Long> busy(List<Repair> open, List<Incident> faults) {
    Set<NodeId> nodes = new TreeSet<>();
    open.forEach(repair -> nodes.add(repair.node()));
    faults.forEach(fault -> nodes.add(fault.node()));
    return nodes.isEmpty() ? Collections.emptySortedMap() : inventory.pods(nodes);
  }

  /**
   * Returns whether the conditions of the repair still hold. After they were read, its node may
   * have been released, used by a job, or isolated again.
   */
  private boolean stands(Repair repair) {
    boolean isolated =
        health.isolating(repair.cluster()).stream()
            .anyMatch(fault -> fault.node().equals(repair.node()) && fault.step().repairs());
    boolean asked = repair.state() == RepairState.ASKED;
    boolean used = asked && !inventory.pods(Set.of(repair.node())).isEmpty();
    return isolated == (repair.state() != RepairState.ENDED) && !used;
  }

  private boolean written(HeldLease lease, Repair repair, boolean known) {
    try {
      transactions.runFenced(
          lease,
          () -> {
            health.enter(repair.cluster());
            if (!stands(repair)) {
              throw new Conflict(Conflict.Guard.VERSION, repair.id().text());
            }
            if (known) {
              repairs.update(repair);
            } else {
              repairs.insert(repair);
            }
          });
      if (repair.state() != RepairState.WAITING) {
        LOG.info(
            "repair={} node={} step={} state={}",
            repair.id().text(),
            repair.nodeName(),
            repair.step(),
            repair.state());
      }
      return true;
    } catch (FenceLost deposed) {
      throw deposed;
    } catch (Conflict changed) {
      LOG.debug("repair {} changed meanwhile", repair.id().text());
    } catch (RuntimeException failed) {
      LOG.warn("repair {} could not be followed", repair.id().text(), failed);
    }
    return false;
  }
}
