package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.fairlead.fleet.cluster.IsolationFeature;
import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.ClusterGates;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceIsolation;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceQuotas;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A quota that is raised before a launch, on an API server with and without a running quota
 * controller.
 */
class NamespaceQuotasTest {
  private static final String NAMESPACE = "fairlead-nlp";
  private final MeterRegistry metrics = new SimpleMeterRegistry();
  private final ClusterCalls calls =
      new ClusterGates(CallLimits.DEFAULT, FakeApiServer.PATIENCE, metrics).open("one");
  private final FakeApiServer server = new FakeApiServer((exchange, n) -> answer(exchange));
  private final NamespaceIsolation isolation =
      new NamespaceIsolation(Orders.INSTALLATION, calls, () -> 0);
  private final NamespaceQuotas quotas = isolation.quotas();
  private volatile @Nullable ResourceQuota stored;
  private volatile boolean follows = true;

  private KubernetesClient client;

  @BeforeEach
  void connect() throws Exception {
    client = server.client();
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
    calls.close();
  }

  /** Fails when pods are created before the API server judges by the higher bound. */
  @Test
  void podsBeyondTheQuotaWaitUntilItIsRaised() {
    stored = quota(1, 1);
    assertThat(quotas.take(client, NAMESPACE, pods(2))).isNull();
    assertThat(hard()).as("1 there, 2 launched, 64 more").isEqualTo(67);
  }

  /** Fails when concurrent launches use the same capacity. */
  @Test
  void pendingLaunchesAreIncludedInTheQuota() {
    stored = quota(66, 0);
    assertThat(quotas.take(client, NAMESPACE, pods(64))).isNull();
    assertThat(hard()).isEqualTo(66);
    assertThat(quotas.take(client, NAMESPACE, pods(64))).isNull();
    assertThat(hard()).isEqualTo(128 + 64);

    quotas.sent(NAMESPACE, pods(64));
    int before = server.requests().size();
    assertThat(quotas.take(client, NAMESPACE, pods(10))).isNull();
    assertThat(server.requests()).as("room that is known is taken without a call").hasSize(before);
  }

  /** Fails when a missing controller prevents starts of jobs. */
  @Test
  void quotaThatTheClusterDoesNotRaiseIsRemoved() {
    follows = false;
    stored = quota(1, 1);
    assertThat(quotas.take(client, NAMESPACE, pods(1))).contains("kube-controller-manager");
    assertThat(stored).isNotNull();
    assertThat(quotas.take(client, NAMESPACE, pods(1))).contains("kube-controller-manager");
    assertThat(stored).isNull();
    assertThat(quotas.take(client, NAMESPACE, pods(1))).isNull();
  }

  /** Fails when pods that a webhook enlarges are refused forever. */
  @Test
  void quotaThatRejectsAgainIsRemoved() {
    stored = quota(9, 0);
    refusedGang();
    assertThat(stored).as("pods of one launch are one refusal").isNotNull();
    assertThat(metrics.get("fairlead.cluster.quota.removals").counter().count()).isZero();
    refusedGang();
    assertThat(stored).isNull();
    assertThat(metrics.get("fairlead.cluster.quota.removals").counter().count()).isEqualTo(1);
    assertThat(isolation.trouble()).containsKey(IsolationFeature.QUOTA);
  }

  /** Pods of a gang are created side by side, and refused all. */
  private void refusedGang() {
    assertThat(quotas.take(client, NAMESPACE, pods(3))).isNull();
    for (int pod = 0; pod < 3; pod++) {
      assertThat(quotas.refused(client, NAMESPACE)).isTrue();
    }
    quotas.sent(NAMESPACE, pods(3));
  }

  /**
   * Fails when the raise names the version that it read, which concurrently counted pods change.
   */
  @Test
  void quotaThatChangesDuringItsRaiseIsRaised() {
    stored = quota(1, 1);
    assertThat(quotas.take(client, NAMESPACE, pods(2))).isNull();
    assertThat(hard()).isEqualTo(67);
    assertThat(there().getMetadata().getResourceVersion()).isNull();
  }

  private ResourceQuota there() {
    return Objects.requireNonNull(stored);
  }

  private long hard() {
    return there().getSpec().getHard().get("pods").getNumericalAmount().longValueExact();
  }

  private static List<Pod> pods(int count) {
    return Collections.nCopies(
        count,
        new PodBuilder()
            .withNewSpec()
            .addNewContainer()
            .withNewResources()
            .withRequests(Map.of("cpu", new Quantity("1")))
            .endResources()
            .endContainer()
            .endSpec()
            .build());
  }

  private static ResourceQuota quota(int hard, int used) {
    Map<String, Quantity> bounds = Map.of("pods", new Quantity(Integer.toString(hard)));
    return new ResourceQuotaBuilder()
        .withNewMetadata()
        .withName(NamespaceQuotas.NAME)
        .withNamespace(NAMESPACE)
        .withResourceVersion("1")
        .endMetadata()
        .withNewSpec()
        .withHard(bounds)
        .endSpec()
        .withNewStatus()
        .withHard(bounds)
        .withUsed(Map.of("pods", new Quantity(Integer.toString(used))))
        .endStatus()
        .build();
  }

  private void answer(HttpExchange exchange) throws IOException {
    ResourceQuota there = stored;
    switch (exchange.getRequestMethod()) {
      case "DELETE" -> stored = null;
      case "PATCH" -> {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        ResourceQuota written = Serialization.unmarshal(body, ResourceQuota.class);
        assertThat(there).isNotNull();
        written.setStatus(there.getStatus());
        if (follows) {
          written.getStatus().setHard(written.getSpec().getHard());
        }
        stored = written;
      }
      default -> {}
    }
    if (there == null) {
      FakeApiServer.send(exchange, 404, FakeApiServer.status(404, "NotFound"));
    } else {
      FakeApiServer.send(exchange, 200, Serialization.asJson(there));
    }
  }
}
