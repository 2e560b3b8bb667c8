package dev.fairlead.work.workload.kubernetes.dra;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.workload.kubernetes.FakeApiServer;
import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.ClusterGates;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DeviceTaintsTest {
  private static final String DRIVER = "gpu.nvidia.com";
  private static final String FIRST = "GPU-00000000-0000-0000-0000-000000000000";
  private static final String SECOND = "GPU-00000000-0000-0000-0000-000000000001";
  private static final String API = "/apis/resource.k8s.io/";
  private static final long MINUTES = Duration.ofMinutes(6).toNanos();

  private final Installation installation = new Installation(new UUID(1, 2), 1);
  private final SliceInventory published = new SliceInventory();
  private final List<String> writes = new ArrayList<>();
  private final SortedMap<String, String> rules = new TreeMap<>();
  private final ClusterCalls calls =
      new ClusterGates(CallLimits.DEFAULT, FakeApiServer.PATIENCE, new SimpleMeterRegistry())
          .open("one");
  private final FakeApiServer server = new FakeApiServer((exchange, n) -> answer(exchange));
  private long nanos;
  private String served = "v1beta2";
  private int code = 200;
  private SeenSlice slice;
  private DeviceTaints taints;

  @BeforeEach
  void twoGpus() {
    publish("gpu-0", "gpu-1");
    taints = new DeviceTaints(installation, DRIVER, published, change -> {}, () -> nanos);
  }

  @AfterEach
  void close() {
    server.close();
    calls.close();
  }

  /** Names of the devices of both GPUs. */
  private void publish(String first, String second) {
    String text =
        """
        metadata: {name: a}
        spec:
          driver: gpu.nvidia.com
          nodeName: n1
          pool: {name: p1, generation: 1, resourceSliceCount: 1}
          devices:
          - {name: %s, attributes: {uuid: {string: %s}}}
          - {name: %s, attributes: {uuid: {string: %s}}}
        """
            .formatted(first, FIRST, second, SECOND);
    SeenSlice now = SeenSlice.of(Serialization.unmarshal(text, ResourceSlice.class), DRIVER);
    published.slice(slice, now);
    slice = now;
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    String method = exchange.getRequestMethod();
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    if (!path.contains("devicetaintrules")) {
      boolean has = path.equals(API + served);
      FakeApiServer.send(
          exchange,
          200,
          "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"groupVersion\":\"resource.k8s.io/v1\",\"resources\":[%s]}"
              .formatted(
                  has ? "{\"name\":\"devicetaintrules\",\"kind\":\"DeviceTaintRule\"}" : ""));
    } else if (code != 200) {
      String status = FakeApiServer.status(code, "Forbidden");
      FakeApiServer.send(
          exchange, code, status.replace("told so", "devicetaintrules is forbidden"));
    } else if (method.equals("GET")) {
      FakeApiServer.send(
          exchange,
          200,
          "{\"apiVersion\":\"resource.k8s.io/v1beta2\",\"kind\":\"DeviceTaintRuleList\",\"metadata\":{},\"items\":[%s]}"
              .formatted(String.join(",", rules.values())));
    } else {
      String name = path.substring(path.lastIndexOf('/') + 1);
      writes.add(method);
      if (method.equals("DELETE")) {
        rules.remove(name);
      } else {
        rules.put(method.equals("POST") ? name(body) : name, body);
      }
      FakeApiServer.send(exchange, 200, body.isEmpty() ? FakeApiServer.status(200, "") : body);
    }
  }

  private static String name(String rule) {
    return Serialization.unmarshal(rule, GenericKubernetesResource.class).getMetadata().getName();
  }

  private void refresh() throws Exception {
    nanos += MINUTES;
    try (KubernetesClient client = server.client(Duration.ofSeconds(10))) {
      taints.refresh(client, calls);
    }
  }

  private void set(Map<String, String> wanted) throws Exception {
    try (KubernetesClient client = server.client(Duration.ofSeconds(10))) {
      taints.set(client, calls, "n1", new TreeMap<>(wanted));
    }
  }

  private NodeReport shown() {
    return published.shown(
        new NodeReport(
            "n1",
            true,
            false,
            false,
            false,
            "CPU",
            0,
            ResourceVector.of(64_000, 1024, 0, 110),
            ResourceVector.ZERO,
            new TreeMap<>(),
            List.of(),
            new TreeMap<>(),
            "boot",
            List.of()));
  }

  /** Fails when a taint stays on the device that has the former name of a quarantined GPU. */
  @Test
  void quarantinedGpuHasOneRuleThatFollowsItsDevice() throws Exception {
    refresh();
    set(Map.of(FIRST, "XID-79"));

    assertThat(writes).containsExactly("POST");
    String name = rules.firstKey();
    assertThat(name).startsWith("fairlead-" + installation.label() + "-gpu-0000");
    assertThat(rules.get(name))
        .contains("\"pool\":\"p1\"", "\"device\":\"gpu-0\"", "\"effect\":\"NoSchedule\"");
    assertThat(shown().labelsAndTaints().gpus()).isEqualTo(Map.of(FIRST, "XID-79"));
    assertThat(shown().gpus()).extracting(Gpu::state).containsOnly(GpuState.HEALTHY);
    set(Map.of(FIRST, "XID-79"));
    assertThat(writes).as("nothing to change").hasSize(1);

    publish("gpu-5", "gpu-0");
    assertThat(shown().labelsAndTaints().gpus()).isEqualTo(Map.of(FIRST, ""));
    set(Map.of(FIRST, "XID-79"));
    assertThat(writes).containsExactly("POST", "PATCH");
    assertThat(rules.get(name)).contains("\"device\":\"gpu-5\"");
    assertThat(shown().labelsAndTaints().gpus()).isEqualTo(Map.of(FIRST, "XID-79"));

    set(Map.of());
    assertThat(writes).containsExactly("POST", "PATCH", "DELETE");
    assertThat(rules).isEmpty();
    assertThat(shown().labelsAndTaints().gpus()).isEmpty();
  }

  private static String ofOthers(String name, String selector, String effect) {
    return "{\"apiVersion\":\"resource.k8s.io/v1beta2\",\"kind\":\"DeviceTaintRule\",\"metadata\":{\"name\":\"%s\"},\"spec\":{\"deviceSelector\":{%s},\"taint\":{\"key\":\"a/b\",\"effect\":\"%s\"}}}"
        .formatted(name, selector, effect);
  }

  /** Fails when a GPU gets jobs that the cluster refuses, or a rule of others is removed. */
  @Test
  void foreignTaintFailsItsGpuAndRemains() throws Exception {
    rules.put("a", ofOthers("a", "\"pool\":\"p1\",\"device\":\"gpu-1\"", "NoSchedule"));
    rules.put("b", ofOthers("b", "\"device\":\"gpu-0\"", "None"));
    rules.put("c", ofOthers("c", "\"driver\":\"net.example.com\"", "NoSchedule"));
    refresh();

    assertThat(shown().gpus())
        .extracting(Gpu::state)
        .containsExactly(GpuState.HEALTHY, GpuState.FAILED);
    assertThat(shown().allocatable().gpuMilli()).isEqualTo(1000);
    set(Map.of(FIRST, "operator"));
    set(Map.of());
    assertThat(writes).containsExactly("POST", "DELETE");
    rules.remove("a");
    refresh();
    assertThat(shown().gpus()).extracting(Gpu::state).containsOnly(GpuState.HEALTHY);
  }

  /** Fails when a missing API or permission has no reason, or Fairlead repeats refused calls. */
  @Test
  void clusterWithoutRulesOrPermissionNamesTheReason() throws Exception {
    served = "none";
    refresh();
    assertThat(taints.trouble()).contains("DRADeviceTaintRules");
    set(Map.of(FIRST, "XID-79"));
    assertThat(writes).isEmpty();

    served = "v1";
    code = 403;
    refresh();
    assertThat(taints.trouble()).contains("apply deploy/cluster-dra.yaml");
    code = 200;
    refresh();
    assertThat(taints.trouble()).isNull();
  }
}
