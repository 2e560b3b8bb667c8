package dev.fairlead.fleet.operation.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Cordon;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.fleet.operation.DrainDeadline;
import dev.fairlead.fleet.operation.DrainScope;
import dev.fairlead.fleet.operation.Operation;
import dev.fairlead.fleet.operation.OperationEvent;
import dev.fairlead.fleet.operation.OperationStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.store.JobStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Supervises drains: counts the remaining attempts and ends a drain when none remains. The
 * supervisor of the cluster reads the running drains and stops the attempts that must move.
 */
@Component
public class DrainLoop extends LeasedLoop {
  private static final Logger LOG = LoggerFactory.getLogger(DrainLoop.class);
  private static final Duration IDLE = Duration.ofSeconds(2);
  private static final String EMPTY = "nothing is left";
  private final OperationStore operations;
  private final InventoryStore inventory;
  private final JobStore jobs;
  private final Transactions transactions;

  public DrainLoop(
      Leases leases,
      OperationStore operations,
      InventoryStore inventory,
      JobStore jobs,
      Transactions transactions) {
    super("operations", "supervisor", IDLE, leases);
    this.operations = operations;
    this.inventory = inventory;
    this.jobs = jobs;
    this.transactions = transactions;
  }

  @Override
  public Set<WakeUps.Topic> wakesOn() {
    return Set.of(WakeUps.Topic.INVENTORY);
  }

  @Override
  protected boolean turn(HeldLease lease) {
    Map<ClusterId, List<Attempt>> live = new TreeMap<>();
    List<Operation> running = operations.running();
    if (running.isEmpty()) {
      quiet();
    }
    for (Operation drain : running) {
      guarded(
          "operation " + drain.id().text(),
          () -> {
            List<Attempt> there =
                live.computeIfAbsent(
                    drain.cluster(),
                    id -> jobs.unretired(id).stream().filter(Attempt::live).toList());
            follow(lease, drain, there);
          });
    }
    return false;
  }

  private void follow(HeldLease lease, Operation drain, List<Attempt> there) {
    if (takenBack(drain)) {
      end(lease, drain, OperationEvent.CANCEL, drain.subject() + " was taken back into service");
      return;
    }
    DrainScope scope = DrainScope.of(drain.cluster(), List.of(drain));
    String node = name(drain);
    List<Attempt> left =
        there.stream()
            .filter(
                a -> a.members().stream().anyMatch(m -> scope.covers(m.node()) || runs(m, node)))
            .toList();
    String step = left.isEmpty() ? EMPTY : step(drain, left);
    /* A planned attempt may still arrive on a closed cluster. A node refuses it by its state. */
    boolean sure = drain.node() != null || drain.step().equals(EMPTY);
    if (left.isEmpty() && sure) {
      end(lease, drain, OperationEvent.DONE, EMPTY);
    } else if (left.size() != drain.left() || !step.equals(drain.step())) {
      transactions.runFenced(lease, () -> operations.update(drain.progressed(left.size(), step)));
    }
  }

  /** Name of the drained node, null for a cluster. */
  private @Nullable String name(Operation drain) {
    NodeId node = drain.node();
    return node == null ? null : inventory.node(node).map(Node::name).orElse(null);
  }

  /**
   * Returns whether another scheduler bound its pod to the node, also before its resources follow.
   */
  private static boolean runs(Member member, @Nullable String node) {
    return !member.dead() && member.nodeName().equals(node);
  }

  private void end(HeldLease lease, Operation drain, OperationEvent event, String step) {
    transactions.runFenced(
        lease,
        () -> {
          Optional<Operation> ended = drain.ended(event, step, jobs.now());
          ended.ifPresent(operations::update);
          NodeId node = drain.node();
          if (node != null) {
            inventory.order(node, NodeOrder.END_DRAIN);
          }
        });
    LOG.info(
        "operation={} kind={} subject={} ended={} step=\"{}\"",
        drain.id().text(),
        drain.kind(),
        drain.subject(),
        event,
        step);
  }

  private boolean takenBack(Operation drain) {
    NodeId node = drain.node();
    if (node == null) {
      ClusterState state = inventory.cluster(drain.cluster()).map(Cluster::state).orElse(null);
      return state != ClusterState.DRAINING && state != ClusterState.DISABLED;
    }
    return inventory.cordons(drain.cluster()).stream()
        .noneMatch(n -> n.id().equals(node) && n.cordon() == Cordon.ORDERED);
  }

  private String step(Operation drain, List<Attempt> left) {
    Map<JobId, Job> owners = new TreeMap<>();
    List<JobId> ids = left.stream().map(Attempt::job).distinct().toList();
    transactions.forAllTenants(() -> jobs.findAll(ids)).forEach(job -> owners.put(job.id(), job));
    long nonPreemptible =
        left.stream()
            .map(a -> owners.get(a.job()))
            .filter(job -> job != null && !job.spec().preemption().allowed())
            .count();
    int total = Math.max(drain.total(), left.size());
    String text = left.size() + " of " + total + " attempts are left";
    DrainDeadline deadline = drain.deadline();
    boolean passed = deadline != null && deadline.passed(jobs.now());
    boolean stopped = passed && deadline != null && deadline.stops();
    if (nonPreemptible > 0 && !stopped) {
      text += "; " + nonPreemptible + " cannot be preempted and run to their end";
    }
    return deadline == null ? text : text + "; " + due(deadline, passed);
  }

  private static String due(DrainDeadline deadline, boolean passed) {
    return switch (deadline.then()) {
      case WAIT -> (passed ? "overdue since " : "due by ") + deadline.at();
      case STOP ->
          passed
              ? "overdue since " + deadline.at() + ": remaining jobs are being stopped"
              : "jobs remaining at " + deadline.at() + " are stopped";
    };
  }
}
