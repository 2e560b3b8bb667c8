package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.ClusterEvent;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.operation.DrainDeadline;
import dev.fairlead.fleet.operation.DrainPolicy;
import dev.fairlead.fleet.operation.Operation;
import dev.fairlead.fleet.operation.OperationState;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Nodes and clusters that are emptied, from here and from outside. */
class DrainTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final SimulatedCluster eu = fairlead.register("eu", new FleetPool(2, 8, "H100", 1, 1));

  private static Specs job(String name) {
    return Specs.job(name).gpus(1).annotation("sim.fairlead.dev/run-for", "10m");
  }

  private Job running(Specs spec) {
    return fairlead.until(fairlead.submit(spec), JobState.RUNNING);
  }

  private Attempt newest(Job job) {
    return fairlead.attempts(job).getLast();
  }

  private String nodeOf(Job job) {
    return newest(job).members().getFirst().nodeName();
  }

  private Node node(String name) {
    return fairlead.stores().inventory().nodes(null).stream()
        .filter(n -> n.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private boolean markedOnCluster(String name) {
    return eu.inventory().nodes().stream().anyMatch(n -> n.name().equals(name) && n.cordoned());
  }

  private Operation drain(String node) {
    return fairlead.drains().drainNode(fairlead.operator(), node, null, false);
  }

  private Operation drain(String node, Duration within, DrainPolicy then) {
    DrainDeadline deadline = new DrainDeadline(fairlead.stores().jobs().now().plus(within), then);
    return fairlead.drains().drainNode(fairlead.operator(), node, deadline, false);
  }

  private Operation now(Operation operation) {
    return fairlead
        .stores()
        .operations()
        .find(fairlead.operator().tenant(), operation.id())
        .orElseThrow();
  }

  @Test
  void drainMovesJobsWithEvidenceAndUsesNoRetry() {
    Job job = running(job("moves"));
    String from = nodeOf(job);
    Operation drain = drain(from);
    assertThat(node(from).state()).isEqualTo(NodeState.DRAINING);
    assertThat(drain(from)).as("the same one").isEqualTo(now(drain));

    fairlead.pass(Duration.ofSeconds(30));

    assertThat(now(drain).state()).isEqualTo(OperationState.SUCCEEDED);
    assertThat(now(drain).percent()).isEqualTo(100);
    assertThat(now(drain).total()).isEqualTo(1);
    assertThat(node(from).state()).isEqualTo(NodeState.CORDONED);
    assertThat(markedOnCluster(from)).isTrue();
    Attempt first = fairlead.attempts(job).getFirst();
    assertThat(first.state()).isEqualTo(AttemptState.PREEMPTED);
    assertThat(first.failure().cause()).isEqualTo(FailureCause.PREEMPTED);
    assertThat(first.members()).allMatch(m -> m.dead() && m.exitCode() != null);
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
    assertThat(nodeOf(job)).isNotEqualTo(from);
    assertThat(fairlead.job(job).run().failures()).isZero();
  }

  @Test
  void drainWaitsForNonPreemptibleJobsAndReportsIt() {
    Job firm = running(job("firm").priority(PriorityClass.HIGH));
    Operation drain = drain(nodeOf(firm));
    fairlead.pass(Duration.ofMinutes(2));

    assertThat(fairlead.state(firm)).isEqualTo(JobState.RUNNING);
    assertThat(now(drain).step()).satisfies(reason("drain.attempts-left-may-preempted", 1, 1, 1));

    fairlead.until(firm, JobState.SUCCEEDED);
    fairlead.pass(Duration.ofSeconds(3));
    assertThat(fairlead.attempts(firm)).hasSize(1);
    assertThat(now(drain).state()).isEqualTo(OperationState.SUCCEEDED);
  }

  @Test
  void notifyOnlyDrainStopsNothing() {
    Job firm = running(job("firm").priority(PriorityClass.HIGH));
    Operation drain = drain(nodeOf(firm), Duration.ofMinutes(1), DrainPolicy.WAIT);
    fairlead.pass(Duration.ofSeconds(10));
    assertThat(now(drain).step()).satisfies(reason("drain.run-their-end-due"));
    fairlead.pass(Duration.ofMinutes(2));

    assertThat(fairlead.state(firm)).isEqualTo(JobState.RUNNING);
    assertThat(fairlead.attempts(firm)).hasSize(1);
    assertThat(now(drain).step()).endsWith("; overdue since " + drain.deadline().at());
  }

  @Test
  void drainStopsRemainingJobsAtItsDeadlineAndTheyRestartWithAllRetries() {
    Job firm = running(job("firm").priority(PriorityClass.HIGH));
    String from = nodeOf(firm);
    Operation drain = drain(from);
    fairlead.pass(Duration.ofSeconds(10));
    Operation due = drain(from, Duration.ofMinutes(1), DrainPolicy.STOP);
    assertThat(due.id()).as("the same one").isEqualTo(drain.id());
    fairlead.pass(Duration.ofSeconds(50));
    assertThat(fairlead.attempts(firm)).hasSize(1);
    fairlead.pass(Duration.ofMinutes(1));

    assertThat(now(drain).state()).isEqualTo(OperationState.SUCCEEDED);
    assertThat(fairlead.state(firm)).isEqualTo(JobState.RUNNING);
    assertThat(nodeOf(firm)).isNotEqualTo(from);
    assertThat(fairlead.job(firm).run().failures()).isZero();
    assertThat(fairlead.attempts(firm).getFirst().failure().message())
        .contains("node " + from + " is being drained, by the deadline " + due.deadline().at());
  }

  @Test
  void cancelledDrainLeavesTheNodeCordonedUntilItIsUncordoned() {
    Job firm = running(job("firm").priority(PriorityClass.HIGH));
    String node = nodeOf(firm);
    Operation drain = drain(node);
    fairlead.pass(Duration.ofSeconds(3));
    fairlead.drains().cancel(fairlead.operator(), drain.id(), false);
    fairlead.pass(Duration.ofSeconds(3));

    assertThat(now(drain).state()).isEqualTo(OperationState.CANCELLED);
    assertThat(node(node).state()).isEqualTo(NodeState.CORDONED);
    assertThatThrownBy(() -> fairlead.drains().cancel(fairlead.operator(), drain.id(), false))
        .isInstanceOf(Refusal.class);

    fairlead.fleet().uncordon(fairlead.operator(), node, false);
    fairlead.pass(Duration.ofSeconds(3));
    assertThat(node(node).state()).isEqualTo(NodeState.ACTIVE);
    assertThat(markedOnCluster(node)).isFalse();
  }

  @Test
  void uncordoningEndsADrain() {
    Job firm = running(job("firm").priority(PriorityClass.HIGH));
    String node = nodeOf(firm);
    Operation drain = drain(node);
    fairlead.pass(Duration.ofSeconds(3));
    fairlead.fleet().uncordon(fairlead.operator(), node, false);
    fairlead.pass(Duration.ofSeconds(3));

    assertThat(now(drain).state()).isEqualTo(OperationState.CANCELLED);
    assertThat(node(node).state()).isEqualTo(NodeState.ACTIVE);
  }

  /**
   * Seed 16999 of the simulation: a cordon took effect after the uncordon, and the node remained
   * out of service. Fails when only nodes of ordered cordons are checked ({@code
   * CordonSync.stray}).
   */
  @Test
  void lateCordonIsRemovedAgainAndAForeignOneStays() {
    String node = nodeOf(running(job("runs")));
    fairlead.fleet().cordon(fairlead.operator(), node, false);
    fairlead.pass(Duration.ofSeconds(3));
    fairlead.fleet().uncordon(fairlead.operator(), node, false);
    fairlead.pass(Duration.ofSeconds(3));

    eu.keepOut(node, true);
    fairlead.pass(Duration.ofSeconds(3));
    assertThat(markedOnCluster(node)).isFalse();
    assertThat(node(node).state()).isEqualTo(NodeState.ACTIVE);

    eu.cordon(node, true);
    fairlead.pass(Duration.ofSeconds(3));
    assertThat(node(node).state()).isEqualTo(NodeState.CORDONED);
  }

  @Test
  void drainContinuesInTheNextProcess() {
    Job job = running(job("moves"));
    Operation drain = drain(nodeOf(job));
    fairlead.turn();
    InMemoryFairlead next = fairlead.replica("two");
    fairlead.shutDown();

    next.pass(Duration.ofSeconds(40));

    assertThat(now(drain).state()).isEqualTo(OperationState.SUCCEEDED);
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
  }

  @Test
  void jobsLeaveADrainedClusterForAnother() {
    Job job = running(job("moves"));
    fairlead.register("us", new FleetPool(2, 8, "H100", 1, 1));
    fairlead.pass(Duration.ofSeconds(3));
    Operation drain = fairlead.drains().drainCluster(fairlead.operator(), "eu", null, false);
    fairlead.pass(Duration.ofSeconds(30));

    assertThat(now(drain).state()).isEqualTo(OperationState.SUCCEEDED);
    assertThat(nodeOf(job)).startsWith("us");
    assertThat(fairlead.stores().inventory().clusterNamed("eu").orElseThrow().state())
        .isEqualTo(ClusterState.DRAINING);
    fairlead.fleet().move(fairlead.operator(), "eu", ClusterEvent.ENABLE, false);
    assertThat(fairlead.stores().inventory().clusterNamed("eu").orElseThrow().state())
        .isEqualTo(ClusterState.ACTIVE);
  }

  @Test
  void cordonedNodeGetsNoNewJobsAndRetainsItsOwn() {
    Job stays = running(job("stays"));
    String node = nodeOf(stays);
    fairlead.fleet().cordon(fairlead.operator(), node, false);
    fairlead.pass(Duration.ofSeconds(3));

    assertThat(nodeOf(running(job("other").gpus(7)))).isNotEqualTo(node);
    assertThat(fairlead.state(stays)).isEqualTo(JobState.RUNNING);
    assertThat(node(node).state()).isEqualTo(NodeState.CORDONED);
    assertThat(markedOnCluster(node)).isTrue();
  }

  @Test
  void externalDrainMovesAPreemptibleGang() {
    // Fails when disruption budgets on a closed node are not removed: the eviction is refused.
    Job gang = running(job("gang").workers(2).gpus(4));
    String node = nodeOf(gang);
    Attempt attempt = newest(gang);
    MemberKey first = MemberKey.of(attempt.members().getFirst());
    assertThat(eu.evict(attempt.id(), first)).isFalse();
    eu.cordon(node, true);
    fairlead.pass(Duration.ofSeconds(3));

    assertThat(eu.evict(attempt.id(), first)).isTrue();
    fairlead.pass(Duration.ofMinutes(1));

    assertThat(fairlead.attempts(gang).getFirst().state()).isEqualTo(AttemptState.EVICTED);
    assertThat(fairlead.state(gang)).isEqualTo(JobState.RUNNING);
    assertThat(newest(gang).members()).noneMatch(m -> m.nodeName().equals(node));
  }

  @Test
  void uncordonedNodeProtectsItsGangs() {
    Job gang = running(job("gang").workers(2).gpus(4));
    Attempt attempt = newest(gang);
    eu.cordon(nodeOf(gang), true);
    fairlead.pass(Duration.ofSeconds(3));
    eu.cordon(nodeOf(gang), false);
    fairlead.pass(Duration.ofSeconds(3));

    assertThat(eu.evict(attempt.id(), MemberKey.of(attempt.members().getFirst()))).isFalse();
  }

  @Test
  void nonPreemptibleJobBlocksAnExternalDrain() {
    Job firm = running(job("firm").priority(PriorityClass.HIGH));
    Attempt attempt = newest(firm);
    eu.cordon(nodeOf(firm), true);
    fairlead.pass(Duration.ofSeconds(3));

    assertThat(eu.evict(attempt.id(), MemberKey.of(attempt.members().getFirst()))).isFalse();
  }
}
