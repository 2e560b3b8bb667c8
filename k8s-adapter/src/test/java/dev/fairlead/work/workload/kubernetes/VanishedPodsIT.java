package dev.fairlead.work.workload.kubernetes;

import static dev.fairlead.work.workload.kubernetes.RealCluster.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pods whose labels are changed, on a real control plane. */
@OnControlPlane
class VanishedPodsIT {
  private final Installation installation = new Installation(new UUID(random(), random()), 1);

  /** Separate for each test, because a namespace belongs to one installation. */
  private final String project = installation.label();

  private final String namespace = "fairlead-" + project;
  private TestCluster cluster;
  private KubernetesClient fairlead;
  private ClusterGateway gateway;
  private LaunchOrder order;
  private MemberKey key;

  @BeforeEach
  void launch() {
    cluster = KubernetesCluster.shared();
    String node = cluster.nodes("vanished", 1, 8, 1).getFirst();
    // the account that the cluster permits to change these labels
    fairlead =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(cluster.kubeconfig()))
            .build();
    gateway = RealCluster.synced(installation, cluster);
    RealCluster.fenced(gateway, 5);
    eventually("the node is ready", () -> report(node).isPresent());
    order =
        new LaunchOrders(new SeededIds(random()), installation, project)
            .order(
                5,
                Specs.job("vanishes").annotation("sim.fairlead.dev/run-for", "3s").build(),
                List.of(report(node).orElseThrow()),
                gateway.capabilities());
    key = MemberKey.of(order.attempt().members().getFirst());
    assertThat(
            RealCluster.answered(gateway, new WorkloadAction.Launch(order.attempt().id(), order)))
        .isInstanceOf(ActionOutcome.Done.class);
    eventually("it is shown", () -> shown(gateway).isPresent());
  }

  @AfterEach
  void takeAway() {
    RealCluster.answered(
        gateway,
        new WorkloadAction.Retire(order.attempt().id(), namespace, List.of(key), new TreeSet<>()));
    gateway.close();
    fairlead.close();
  }

  /** Fails without the look-up by name: the pod ended, and no watch showed it. */
  @Test
  void podThatLosesItsLabelsIsRelabelledAndItsEndIsSeen() {
    loseLabels();
    eventually("its labels are back", () -> pod().getMetadata().getLabels().containsKey(label()));
    eventually("its end is seen", () -> ended(gateway));
  }

  /** Fails when the result of a pod is lost with its labels before it was evaluated. */
  @Test
  void endedPodRetainsItsResult() {
    eventually("its end is seen", () -> ended(gateway));
    loseLabels();
    eventually("its labels are back", () -> pod().getMetadata().getLabels().containsKey(label()));
    assertThat(ended(gateway)).isTrue();
  }

  /** Fails when only a process that watched can know that labels were changed. */
  @Test
  void podRelabelledWhileNoProcessWatchedIsFound() {
    ObservedMember last = shown(gateway).orElseThrow();
    gateway.close();
    loseLabels();
    ClusterGateway next = RealCluster.synced(installation, cluster);
    try {
      assertThat(shown(next)).isEmpty();
      assertThat(next.gone(namespace, order.attempt().id(), key, last.uid()))
          .as("not yet known")
          .isFalse();
      eventually("its end is seen", () -> ended(next));
      eventually("its labels are back", () -> pod().getMetadata().getLabels().containsKey(label()));
    } finally {
      gateway = next;
    }
  }

  private boolean ended(ClusterGateway through) {
    return shown(through).filter(m -> m.state() == MemberState.SUCCEEDED).isPresent();
  }

  private Optional<ObservedMember> shown(ClusterGateway through) {
    return Optional.ofNullable(through.workloadsSince(0).workloads().get(order.attempt().id()))
        .flatMap(workload -> workload.member(key));
  }

  private void loseLabels() {
    fairlead
        .pods()
        .inNamespace(namespace)
        .withName(ObjectNames.pod(order.attempt().id(), key))
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"labels\":{\"%s\":null}}}".formatted(label()));
  }

  private Pod pod() {
    return cluster
        .admin()
        .pods()
        .inNamespace(namespace)
        .withName(ObjectNames.pod(order.attempt().id(), key))
        .get();
  }

  private Optional<NodeReport> report(String node) {
    return gateway.inventory().nodes().stream()
        .filter(n -> n.name().equals(node) && n.ready())
        .findFirst();
  }

  private static String label() {
    return ObjectLabels.INSTALLATION;
  }

  private static long random() {
    return ThreadLocalRandom.current().nextLong();
  }
}
