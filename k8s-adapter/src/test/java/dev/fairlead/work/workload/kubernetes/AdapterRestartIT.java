package dev.fairlead.work.workload.kubernetes;

import static dev.fairlead.work.workload.kubernetes.RealCluster.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The adapter restarts with an empty memory in the middle of its work, on a real control plane: its
 * watches, the pods that it saw, its calls in flight and its stop orders are lost.
 */
@OnControlPlane
class AdapterRestartIT {
  private static final int GANG = 4;
  private final Installation installation = new Installation(new UUID(random(), random()), 1);
  private final String namespace = "fairlead-" + installation.label();
  private TestCluster cluster;
  private List<String> nodes;
  private ClusterGateway gateway;
  private LaunchOrder order;

  @BeforeEach
  void begin() {
    cluster = KubernetesCluster.shared();
    nodes = cluster.nodes("restart", GANG, 8, 1);
    gateway = next();
    order =
        new LaunchOrders(new SeededIds(random()), installation, installation.label())
            .order(
                5,
                Specs.job("gang").workers(GANG).gpus(8).build(),
                nodes.stream().map(this::report).toList(),
                gateway.capabilities());
  }

  @AfterEach
  void nothingIsLeft() {
    eventually("it is cleared away", () -> gateway.apply(retire()).equals(done()));
    eventually("nothing is left", () -> cluster.left(namespace).isEmpty());
    eventually("nothing is shown", () -> shown().isEmpty());
    gateway.close();
  }

  /**
   * Fails without two guards: a visible object is not created again, and an existing one of its
   * name is adopted. Each guard suffices without the other.
   */
  @Test
  void interruptedLaunchIsFinishedWithoutDuplicatePods() throws Exception {
    SortedMap<String, String> before;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      ClusterGateway first = gateway;
      Future<ActionOutcome> cut = threads.submit(() -> first.apply(launch()));
      eventually("a pod is there", () -> !uids().isEmpty());
      before = uids();
      gateway = restarted();
      assertThat(cut.get()).as("done, or not known").isNotNull();
    }
    assertThat(RealCluster.answered(gateway, launch())).isEqualTo(done());
    SortedMap<String, String> whole = uids();
    assertThat(whole).hasSize(GANG).containsAllEntriesOf(before);
    allAre(MemberState.RUNNING);

    gateway = restarted();
    assertThat(RealCluster.answered(gateway, launch()))
        .as("again, in the middle of its life")
        .isEqualTo(done());
    allAre(MemberState.RUNNING);
    assertThat(uids()).isEqualTo(whole);
    assertThat(seen()).isEqualTo(new TreeSet<>(whole.values()));
  }

  /** Fails without the finalizer: pods that end while no process watches go with their results. */
  @Test
  void interruptedStopIsFinishedAndNoResultIsLost() {
    assertThat(RealCluster.answered(gateway, launch())).isEqualTo(done());
    allAre(MemberState.RUNNING);
    SortedMap<String, String> whole = uids();
    assertThat(RealCluster.answered(gateway, stop(keys().subList(0, GANG / 2)))).isEqualTo(done());

    gateway = restarted();
    eventually("those that were told have ended", () -> count(MemberState.FAILED) == GANG / 2);
    assertThat(count(MemberState.RUNNING)).as("and no other").isEqualTo(GANG / 2);
    assertThat(RealCluster.answered(gateway, stop(keys())))
        .as("none is taken for absent")
        .isEqualTo(done());
    gateway.close(); // they end while no process watches them
    gateway = next();
    allAre(MemberState.FAILED);
    assertThat(uids()).as("each keeps its result").isEqualTo(whole);
    assertThat(seen()).isEqualTo(new TreeSet<>(whole.values()));
  }

  /** Fails when a process releases only those pods that it stopped itself. */
  @Test
  void interruptedCleanupIsFinished() throws Exception {
    assertThat(RealCluster.answered(gateway, launch())).isEqualTo(done());
    allAre(MemberState.RUNNING);
    assertThat(RealCluster.answered(gateway, stop(keys()))).isEqualTo(done());
    allAre(MemberState.FAILED);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      ClusterGateway first = gateway;
      Future<ActionOutcome> cut = threads.submit(() -> first.apply(retire()));
      eventually("a pod is gone", () -> uids().size() < GANG);
      gateway = restarted();
      assertThat(cut.get()).as("done, or not known").isNotNull();
    }
  }

  private ClusterGateway next() {
    ClusterGateway next = RealCluster.synced(installation, cluster);
    eventually("the cluster is ours", () -> next.claim(5, 0).equals(EpochClaim.OURS));
    eventually(
        "the nodes are seen",
        () ->
            next.inventory().nodes().stream()
                    .filter(n -> nodes.contains(n.name()) && n.ready())
                    .count()
                == GANG);
    return next;
  }

  private ClusterGateway restarted() {
    gateway.close();
    return next();
  }

  private NodeReport report(String node) {
    return gateway.inventory().nodes().stream()
        .filter(n -> n.name().equals(node))
        .findFirst()
        .orElseThrow();
  }

  /** UIDs of existing pods by name. */
  private SortedMap<String, String> uids() {
    SortedMap<String, String> uids = new TreeMap<>();
    for (Pod pod : cluster.admin().pods().inNamespace(namespace).list().getItems()) {
      uids.put(pod.getMetadata().getName(), pod.getMetadata().getUid());
    }
    return uids;
  }

  private List<ObservedMember> shown() {
    ObservedWorkload workload = gateway.workloadsSince(0).workloads().get(order.attempt().id());
    return workload == null ? List.of() : List.copyOf(workload.members().values());
  }

  private TreeSet<String> seen() {
    TreeSet<String> uids = new TreeSet<>();
    shown().forEach(member -> uids.add(Objects.requireNonNull(member.uid())));
    return uids;
  }

  private long count(MemberState state) {
    return shown().stream().filter(member -> member.state() == state).count();
  }

  private void allAre(MemberState state) {
    eventually("all members are " + state, () -> count(state) == GANG);
  }

  private List<MemberKey> keys() {
    return order.attempt().members().stream().map(MemberKey::of).toList();
  }

  private static ActionOutcome done() {
    return new ActionOutcome.Done(new TreeSet<>());
  }

  private WorkloadAction launch() {
    return new WorkloadAction.Launch(order.attempt().id(), order);
  }

  private WorkloadAction stop(List<MemberKey> members) {
    return new WorkloadAction.Stop(
        order.attempt().id(), namespace, Duration.ofSeconds(30), members);
  }

  private WorkloadAction retire() {
    return new WorkloadAction.Retire(order.attempt().id(), namespace, keys(), new TreeSet<>());
  }

  private static long random() {
    return ThreadLocalRandom.current().nextLong();
  }
}
