package dev.fairlead.care.health.service.repair;

import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.quarantine.Releases;
import dev.fairlead.care.health.repair.Janitors;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairAnswer;
import dev.fairlead.care.health.repair.RepairCall;
import dev.fairlead.care.health.repair.RepairId;
import dev.fairlead.care.health.repair.RepairOrder;
import dev.fairlead.care.health.repair.RepairState;
import dev.fairlead.care.health.repair.RepairStore;
import dev.fairlead.care.health.repair.RepairTask;
import dev.fairlead.care.health.repair.RepairTaskId;
import dev.fairlead.care.health.repair.RepairTaskState;
import dev.fairlead.care.health.repair.Repairer;
import dev.fairlead.care.health.repair.RepairerCalls;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.OwnClusters;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.keyring.SharedKey;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.kernel.transaction.Transactions;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Requests repair steps from the repairers that accept them. Each task is one row, written before
 * the call to the repairer and again with its response, together with the effect on the repair. A
 * repairer that hangs costs one call per pass.
 */
@Component
public class RepairTasks {
  private static final Logger LOG = LoggerFactory.getLogger(RepairTasks.class);
  private static final int MOST_CALLS = 8;

  /**
   * Time within a pass after which no call starts, regardless of the number of hanging repair
   * services.
   */
  private static final Duration CALLING = Duration.ofSeconds(5);

  private static final int NONCE_BYTES = 16;
  private static final String BY = "the repairer";

  private final RepairStore repairs;
  private final HealthStore health;
  private final InventoryStore inventory;
  private final RepairerCalls machines;
  private final Janitors janitors;
  private final SharedKey key;
  private final HealthAudit audit;
  private final Transactions transactions;
  private final IdSource ids;
  private final InstantSource clock;
  private final MeterRegistry metrics;
  private final OwnClusters own = new OwnClusters();

  public RepairTasks(
      RepairStore repairs,
      HealthStore health,
      InventoryStore inventory,
      RepairerCalls machines,
      Janitors janitors,
      SharedKey key,
      HealthAudit audit,
      Transactions transactions,
      IdSource ids,
      InstantSource clock,
      MeterRegistry metrics) {
    this.repairs = repairs;
    this.health = health;
    this.inventory = inventory;
    this.machines = machines;
    this.janitors = janitors;
    this.key = key;
    this.audit = audit;
    this.transactions = transactions;
    this.ids = ids;
    this.clock = clock;
    this.metrics = metrics;
  }

  /** Clears the state after the lease was lost. */
  void forget() {
    own.forget();
  }

  void turn(HeldLease lease) {
    SortedMap<ClusterId, Repairer> repairers = new TreeMap<>();
    repairs.repairers().forEach(each -> repairers.put(each.cluster(), each));
    if (repairers.isEmpty()) {
      return;
    }
    /* A process on a copy of the live database would power-cycle machines in use. */
    repairers.keySet().retainAll(own.among(inventory.clusters()));
    SortedMap<RepairId, Repair> open = new TreeMap<>();
    repairs.open().forEach(repair -> open.put(repair.id(), repair));
    List<RepairTask> tasks = repairs.tasks();
    open.values().stream()
        .filter(repair -> wants(repair, repairers, tasks))
        .forEach(
            repair -> guarded(repair.id(), () -> begin(lease, repair, tests(repair, repairers))));
    List<Followed> followed =
        repairs.tasks().stream()
            .filter(task -> task.state().open())
            .map(task -> new Followed(task, task.seen(open.get(task.repair()), clock.instant())))
            .sorted(Comparator.comparing(each -> each.now().talk().next()))
            .toList();
    Set<ClusterId> silent = new TreeSet<>();
    int most = MOST_CALLS;
    Instant end = clock.instant().plus(CALLING);
    for (Followed each : followed) {
      ClusterId cluster = each.now().cluster();
      Repairer repairer = silent.contains(cluster) ? null : repairers.get(cluster);
      boolean asks = repairer != null && each.now().due(clock.instant()) != null;
      if (most > 0
          && !clock.instant().isAfter(end)
          && (asks || each.changed())) { // a task without a call does not count
        most--;
        guarded(each.now().repair(), () -> follow(lease, each, repairers.get(cluster), silent));
      }
    }
  }

  /** A task as stored, and the same task after the effects of time and of its repair. */
  private record Followed(RepairTask stored, RepairTask now) {
    boolean changed() {
      return now.version() != stored.version();
    }
  }

  /**
   * Returns whether to request the step of the repair. The repairer must accept the step, and must
   * have neither an earlier request for the step nor an open task for the node.
   */
  private static boolean wants(
      Repair repair, SortedMap<ClusterId, Repairer> repairers, List<RepairTask> tasks) {
    Repairer repairer = repairers.get(repair.cluster());
    return repairer != null
        && repairer.steps().contains(repair.step())
        && repair.state() == RepairState.ASKED
        && repair.heldBy() == null
        && tasks.stream()
            .noneMatch(task ->
                task.serves(repair) || task.node().equals(repair.node()) && task.state().open());
  }

  private static boolean tests(Repair repair, SortedMap<ClusterId, Repairer> repairers) {
    Repairer repairer = repairers.get(repair.cluster());
    return repairer != null && repairer.tests();
  }

  private void begin(HeldLease lease, Repair repair, boolean tests) {
    RepairTaskId id = new RepairTaskId(ids.next());
    Optional<String> nonce = nonce(id);
    if (nonce.isEmpty()) {
      LOG.warn("no repairer is called without FAIRLEAD_KEY_FILE");
      return;
    }
    RepairTask task =
        RepairTask.of(id, repair, nonce.get(), bootNow(repair.node()), tests, clock.instant());
    transactions.runFenced(
        lease,
        () -> {
          health.enter(repair.cluster());
          Repair now = repairs.repair(repair.id()).orElseThrow();
          if (!task.serves(now) || now.heldBy() != null) {
            throw new Conflict(Conflict.Guard.VERSION, repair.id().text());
          }
          repairs.insert(task);
        });
    LOG.info("task={} repair={} {}", id.text(), repair.id().text(), task.told());
  }

  /**
   * Derives the nonce of a task. Only the calls of the task contain the nonce, and no other secret
   * is stored.
   */
  private Optional<String> nonce(RepairTaskId id) {
    return key.derived("fairlead/repair/nonce/" + id.text())
        .map(bytes -> HexFormat.of().formatHex(bytes, 0, NONCE_BYTES));
  }

  /** Returns the boot id that its cluster reported last, empty if unknown. */
  private String bootNow(NodeId node) {
    return inventory.node(node).map(Node::bootId).orElse("");
  }

  private void follow(
      HeldLease lease, Followed followed, @Nullable Repairer repairer, Set<ClusterId> silent) {
    RepairTask task = followed.now();
    boolean noted = repairer != null && repairer.url() == null;
    if (followed.changed()) {
      written(lease, task);
      if (noted && !task.state().open()) {
        janitors.over(task);
      }
    }
    RepairCall.Action action = task.due(clock.instant());
    if (action == null || repairer == null || silent.contains(task.cluster())) {
      return;
    }
    String cluster = inventory.nameOf(task.cluster()).orElseGet(task.cluster()::text);
    String cause = repairs.repair(task.repair()).map(Repair::cause).orElse("");
    RepairCall call = new RepairCall(repairer, cluster, task, cause, action);
    RepairAnswer answer = noted ? janitors.ask(call) : machines.ask(call);
    if (answer instanceof RepairAnswer.Unanswered) {
      silent.add(task.cluster());
    }
    RepairTask told = task.answered(answer, bootNow(task.node()), clock.instant());
    written(lease, told);
    if (noted && !told.state().open()) {
      janitors.over(told);
    }
  }

  /** Stores the task and its effect on the repair in the same transaction. */
  private void written(HeldLease lease, RepairTask task) {
    transactions.runFenced(
        lease,
        () -> {
          health.enter(task.cluster());
          repairs.update(task);
          repairs
              .repair(task.repair())
              .filter(task::serves)
              .ifPresent(now -> {
                Repair next = following(now, task);
                if (!next.equals(now)) {
                  repairs.update(next);
                }
                if (task.state() == RepairTaskState.DONE) {
                  passed(task);
                }
              });
        });
    if (!task.state().open()) {
      LOG.info("task={} repair={} {}", task.id().text(), task.repair().text(), task.told());
    }
  }

  /**
   * Releases a machine that passed its test, unless an operator holds it out of service or a fault
   * occurred after the start of the test. Quarantines from domains stay.
   */
  private void passed(RepairTask task) {
    Instant since = task.status().testedSince();
    List<Quarantine> standing =
        quarantines(task).stream().filter(each -> each.domain() == null).toList();
    if (since != null
        && !standing.isEmpty()
        && standing.stream().allMatch(each -> tested(each, since))) {
      List<Quarantine> before = quarantines(task);
      Releases.end(
          health, inventory, standing, each -> BY + ": it passed the test", clock.instant());
      audit.released(task, before, quarantines(task));
    }
  }

  private List<Quarantine> quarantines(RepairTask task) {
    return health.standing(task.cluster()).stream()
        .filter(each -> each.node().equals(task.node()))
        .toList();
  }

  private boolean tested(Quarantine quarantine, Instant since) {
    IncidentId incident = quarantine.incident();
    return quarantine.owner() == null
        && incident != null
        && health.incident(incident).filter(fault -> !shown(fault, since)).isPresent();
  }

  private boolean shown(Incident fault, Instant since) {
    String gpu = fault.gpu();
    return fault.lastAt().isAfter(since)
        || health.shown(fault.id(), since)
        || gpu != null
            && health.seen(fault.cluster(), gpu, fault.xid(), since, clock.instant()).stream()
                .anyMatch(since::isBefore);
  }

  private Repair following(Repair repair, RepairTask task) {
    Instant now = clock.instant();
    if (task.state() == RepairTaskState.DONE) {
      RepairSteps.measured(metrics, repair, now);
      return ordered(repair, task, RepairOrder.DONE, BY, now);
    }
    if (task.state() == RepairTaskState.FAILED) {
      return ordered(repair, task, RepairOrder.SKIP, BY + "'s test", now);
    }
    if (task.state() == RepairTaskState.WITHDRAWN) {
      return ordered(repair, task, RepairOrder.SKIP, BY + ", not in time", now);
    }
    return repair.told(task.told());
  }

  private Repair ordered(
      Repair repair, RepairTask task, RepairOrder order, String by, Instant now) {
    Repair next = repair.ordered(order, by, now).orElse(null);
    if (next == null) {
      return repair;
    }
    audit.ordered(task, order, repair, next);
    return next;
  }

  private static void guarded(RepairId repair, Runnable step) {
    try {
      step.run();
    } catch (FenceLost deposed) {
      throw deposed;
    } catch (Conflict changed) {
      LOG.debug("repair {} changed meanwhile", repair.text());
    } catch (RuntimeException failed) {
      LOG.warn("the repairer could not be asked for repair {}", repair.text(), failed);
    }
  }
}
