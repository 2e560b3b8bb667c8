package dev.fairlead.work.workload.kubernetes.namespace;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import dev.fairlead.fleet.cluster.Capabilities.Fence;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.kubernetes.FakeApiServer;
import dev.fairlead.work.workload.kubernetes.Orders;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.ClusterGates;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The fence on clusters that a test cannot have for real: without the policy, or with a slow one.
 */
class EpochFenceTest {
  /** The maximum time on a busy machine. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final String REFUSAL =
      "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"Invalid\",\"code\":422,\"message\":\"ValidatingAdmissionPolicy"
          + " 'fairlead-fence' with binding 'fairlead-fence' denied request\"}";
  private final AtomicLong nanos = new AtomicLong();
  private final ClusterCalls calls =
      new ClusterGates(CallLimits.DEFAULT, PATIENCE, null).open("one");

  /** Epoch below which creates are refused, 0 without a policy. */
  private volatile long refusedBelow;

  /** Whether the namespace is deleted, with its contents. */
  private volatile boolean removed;

  private volatile long known;
  private volatile long watermark;

  @AfterEach
  void close() {
    calls.close();
  }

  @Test
  void clusterThatAdmitsAnOlderEpochHasNoFenceAndTheReasonNamesTheNextStep() throws Exception {
    try (FakeApiServer server = server();
        KubernetesClient client = server.client(PATIENCE)) {
      EpochFence fence = fence(false);
      fence.claim(client, 7, 0);
      nanos.addAndGet(Duration.ofSeconds(3).toNanos());
      assertThat(fence.claim(client, 7, 0)).isEqualTo(EpochClaim.OURS);
      assertThat(fence.finding().fence()).isEqualTo(Fence.ABSENT);
      assertThat(fence.finding().reason()).contains("Apply deploy/cluster.yaml");
      EpochFence strict = fence(true);
      strict.claim(client, 7, 0);
      nanos.addAndGet(Duration.ofSeconds(3).toNanos());
      assertThat(strict.claim(client, 7, 0))
          .isInstanceOfSatisfying(
              EpochClaim.Unknown.class,
              u -> assertThat(u.message()).contains("deploy/cluster.yaml"));
    }
  }

  /** Fails when one accepted create suffices for {@code ABSENT}. */
  @Test
  void admissionBeforeThePolicyIsActiveProvesNothing() throws Exception {
    try (FakeApiServer server = server();
        KubernetesClient client = server.client(PATIENCE)) {
      EpochFence fence = fence(false);
      assertThat(fence.claim(client, 7, 0)).isInstanceOf(EpochClaim.Unknown.class);
      assertThat(fence.finding().fence()).isEqualTo(Fence.UNKNOWN);
      assertThat(fence.finding().reason()).satisfies(reason("epoch-fence.may-force-yet"));
      nanos.addAndGet(Duration.ofMillis(2900).toNanos());
      assertThat(fence.claim(client, 7, 0)).isInstanceOf(EpochClaim.Unknown.class);
      refusedBelow = 7;
      assertThat(fence.claim(client, 7, 0)).isEqualTo(EpochClaim.OURS);
      assertThat(fence.finding().fence()).isEqualTo(Fence.ENFORCED);
    }
  }

  /** Fails when a cluster without a fence is probed as rarely as a fenced cluster. */
  @Test
  void lateFenceIsDetectedWithinTenSeconds() throws Exception {
    try (FakeApiServer server = server();
        KubernetesClient client = server.client(PATIENCE)) {
      EpochFence fence = fence(false);
      fence.claim(client, 7, 0);
      nanos.addAndGet(Duration.ofSeconds(3).toNanos());
      fence.claim(client, 7, 0);
      assertThat(fence.finding().fence()).isEqualTo(Fence.ABSENT);
      refusedBelow = 7;
      nanos.addAndGet(Duration.ofSeconds(10).toNanos());
      assertThat(fence.claim(client, 7, 0)).isEqualTo(EpochClaim.OURS);
      assertThat(fence.finding().fence()).isEqualTo(Fence.ENFORCED);
    }
  }

  @Test
  void nothingIsWrittenUntilTheClusterEnforcesTheNewEpoch() throws Exception {
    refusedBelow = 5;
    try (FakeApiServer server = server();
        KubernetesClient client = server.client(PATIENCE)) {
      EpochFence fence = fence(false);
      // The policy still compares with epoch 5: without the probe a deposed supervisor's creates
      // succeed.
      assertThat(fence.claim(client, 7, 0)).isInstanceOf(EpochClaim.Unknown.class);
      refusedBelow = 7;
      assertThat(fence.claim(client, 7, 0)).isEqualTo(EpochClaim.OURS);
      assertThat(fence.finding().fence()).isEqualTo(Fence.ENFORCED);
    }
  }

  @Test
  void repeatedProbeDetectsARemovedPolicy() throws Exception {
    refusedBelow = 7;
    try (FakeApiServer server = server();
        KubernetesClient client = server.client(PATIENCE)) {
      EpochFence fence = fence(true);
      assertThat(fence.claim(client, 7, 0)).isEqualTo(EpochClaim.OURS);
      refusedBelow = 0;
      assertThat(fence.claim(client, 7, 0)).isEqualTo(EpochClaim.OURS);
      nanos.addAndGet(Duration.ofSeconds(61).toNanos());
      assertThat(fence.claim(client, 7, 0)).isInstanceOf(EpochClaim.Unknown.class);
      nanos.addAndGet(Duration.ofSeconds(3).toNanos());
      assertThat(fence.claim(client, 7, 0)).isInstanceOf(EpochClaim.Unknown.class);
      assertThat(fence.finding().fence()).isEqualTo(Fence.ABSENT);
    }
  }

  /**
   * Fails when a later watermark read from the cluster counts as Fairlead's own in the same pass.
   */
  @Test
  void clusterWithAHigherEpochStaysReadOnlyForLaunchesOfTheSamePass() throws Exception {
    refusedBelow = 7;
    known = 7;
    watermark = 12;
    try (FakeApiServer server = server();
        KubernetesClient client = server.client(PATIENCE)) {
      EpochFence fence = fence(false);
      assertThat(fence.claim(client, 7, 5)).isEqualTo(new EpochClaim.Ahead(12));
      assertThat(fence.check(client, 7)).isEqualTo(new EpochClaim.Ahead(12));
    }
  }

  /** Fails when a namespace that was removed is missing until the process starts again. */
  @Test
  void fenceWithARemovedNamespaceIsRecreatedWithIt() throws Exception {
    refusedBelow = 7;
    try (FakeApiServer server = server();
        KubernetesClient client = server.client(PATIENCE)) {
      EpochFence fence = fence(false);
      assertThat(fence.claim(client, 7, 0)).isEqualTo(EpochClaim.OURS);
      removed = true;
      nanos.addAndGet(Duration.ofSeconds(2).toNanos());
      assertThatThrownBy(() -> fence.claim(client, 7, 0)).isInstanceOf(CallFailure.class);
      assertThat(server.requests()).noneMatch(EpochFenceTest::makesTheNamespace);

      assertThat(fence.claim(client, 7, 0)).isEqualTo(EpochClaim.OURS);

      assertThat(server.requests()).filteredOn(EpochFenceTest::makesTheNamespace).hasSize(1);
    }
  }

  private static boolean makesTheNamespace(String request) {
    return request.matches("POST /api/v1/namespaces([?].*)?");
  }

  private EpochFence fence(boolean required) {
    return new EpochFence(
        Orders.INSTALLATION,
        calls,
        new Namespaces(
            Orders.INSTALLATION,
            calls,
            new NamespaceIsolation(Orders.INSTALLATION, calls, System::nanoTime),
            nanos::get),
        new FenceProbe(Orders.INSTALLATION, calls, nanos::get),
        required,
        nanos::get);
  }

  private FakeApiServer server() {
    return new FakeApiServer((exchange, n) -> answer(exchange));
  }

  private void answer(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String path = exchange.getRequestURI().toString();
    if (removed) {
      boolean made = makesTheNamespace(exchange.getRequestMethod() + " " + path);
      removed = !made;
      int code = made ? 201 : 404;
      FakeApiServer.send(exchange, code, made ? body : FakeApiServer.status(404, "NotFound"));
      return;
    }
    if (path.contains("dryRun")) {
      ConfigMap tried = Serialization.unmarshal(body, ConfigMap.class);
      long epoch = Long.parseLong(tried.getMetadata().getLabels().get(ObjectLabels.EPOCH));
      boolean refused = epoch < refusedBelow;
      FakeApiServer.send(exchange, refused ? 422 : 201, refused ? REFUSAL : body);
    } else if (path.endsWith("/configmaps/" + EpochFence.NAME)) {
      if (exchange.getRequestMethod().equals("PUT")) {
        ConfigMap raised = Serialization.unmarshal(body, ConfigMap.class);
        known = Long.parseLong(raised.getData().get(Orders.INSTALLATION.label()));
      }
      FakeApiServer.send(exchange, 200, Serialization.asJson(stored()));
    } else {
      FakeApiServer.send(exchange, 200, "{\"metadata\":{\"name\":\"there\"}}");
    }
  }

  private ConfigMap stored() {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(EpochFence.NAME)
        .withNamespace(Namespaces.SYSTEM)
        .withResourceVersion("1")
        .endMetadata()
        .addToData(Orders.INSTALLATION.label(), Long.toString(known))
        .addToData(Orders.INSTALLATION.label() + ".watermark", Long.toString(watermark))
        .build();
  }
}
