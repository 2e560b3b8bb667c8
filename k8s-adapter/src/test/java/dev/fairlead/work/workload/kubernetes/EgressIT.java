package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.people.tenant.Egress;
import dev.fairlead.work.workload.NamespacePlan;
import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.ClusterGates;
import dev.fairlead.work.workload.kubernetes.namespace.Isolation;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceIsolation;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceReconciler;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Egress of pods of a strict project under the policy of a real API server. */
@OnControlPlane
class EgressIT {
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  private final TestCluster cluster = KubernetesCluster.shared();
  private final Installation installation = new Installation(new UUID(random(), random()), 1);
  private final String namespace = "fairlead-" + installation.label();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final ClusterCalls calls =
      new ClusterGates(CallLimits.DEFAULT, Duration.ofSeconds(10), meters).open("egress");
  private final NamespaceIsolation isolation =
      new NamespaceIsolation(installation, calls, System::nanoTime);
  private final Namespaces namespaces =
      new Namespaces(installation, calls, isolation, System::nanoTime);
  private final NamespaceReconciler upkeep =
      new NamespaceReconciler(installation, calls, namespaces, isolation, Set::of);
  private final KubernetesClient fairlead =
      new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(cluster.kubeconfig())).build();

  @AfterEach
  void close() {
    fairlead.close();
    calls.close();
  }

  /**
   * Fails when a strict project reaches more than it listed, or is opened by a process that starts.
   */
  @Test
  void strictProjectReachesOnlyDnsItsGangAndItsListedRanges() {
    isolation.plans().all(List.of());
    assertThat(namespaces.ensure(fairlead, namespace, Orders.PROJECT)).isNull();
    Egress listed = Egress.strict(List.of("10.1.0.0/16", "0.0.0.0/0"));
    isolation.plans().all(List.of(new NamespacePlan(namespace, listed)));
    upkeep.look(fairlead);

    NetworkPolicy strict = egress();
    assertThat(strict.getSpec().getEgress())
        .extracting(rule ->
            rule.getTo().stream()
                .flatMap(to -> Stream.ofNullable(to.getIpBlock()))
                .map(block -> block.getCidr() + block.getExcept())
                .toList())
        .containsExactly(
            List.of("169.254.20.10/32[]"),
            List.of(),
            List.of("10.1.0.0/16[]", "0.0.0.0/0[169.254.169.254/32, 192.0.2.1/32]"));
    assertThat(repairs()).as("a change of the project does not count as a repair").isZero();

    cluster.admin().resource(strict).patch(MERGE, "{\"spec\":{\"egress\":[{}]}}");
    NamespaceIsolation started = new NamespaceIsolation(installation, calls, System::nanoTime);
    new NamespaceReconciler(
            installation,
            calls,
            new Namespaces(installation, calls, started, System::nanoTime),
            started,
            Set::of)
        .look(fairlead);
    assertThat(egress().getSpec().getEgress())
        .as("one that knows no plan yet leaves it")
        .hasSize(1);
    upkeep.look(fairlead);
    assertThat(egress().getSpec()).isEqualTo(strict.getSpec());
    assertThat(repairs()).isOne();
  }

  private NetworkPolicy egress() {
    return cluster
        .admin()
        .network()
        .v1()
        .networkPolicies()
        .inNamespace(namespace)
        .withName(Isolation.EGRESS)
        .get();
  }

  private double repairs() {
    return meters.get("fairlead.cluster.repairs").tag("cluster", "egress").counter().count();
  }

  private static long random() {
    return ThreadLocalRandom.current().nextLong();
  }
}
