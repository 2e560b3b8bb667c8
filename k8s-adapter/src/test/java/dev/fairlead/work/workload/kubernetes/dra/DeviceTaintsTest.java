package dev.fairlead.work.workload.kubernetes.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.workload.kubernetes.FakeApiServer;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
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
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DeviceTaintsTest {
  private static final String DRIVER = "gpu.nvidia.com";
  private static final PodDevices FORM =
      PodDevices.claimed(DRIVER, DRIVER).slicing("mig.nvidia.com");
  private static final String FIRST = "GPU-00000000-0000-0000-0000-000000000000";
  private static final String SECOND = "GPU-00000000-0000-0000-0000-000000000001";
  private static final String THIRD = "GPU-00000000-0000-0000-0000-000000000002";
  private static final String API = "/apis/resource.k8s.io/";
  private static final Pattern CONTINUE = Pattern.compile("continue=([0-9]+)");
  private static final long MINUTES = Duration.ofMinutes(6).toNanos();

  private final Installation installation = new Installation(new UUID(1, 2), 1);
  private final SliceInventory published = new SliceInventory(FORM);
  private final List<String> writes = new ArrayList<>();
  private final SortedMap<String, String> rules = new TreeMap<>();
  private final ClusterCalls calls =
      new ClusterGates(CallLimits.DEFAULT, FakeApiServer.PATIENCE, new SimpleMeterRegistry())
          .open("one");
  private final FakeApiServer server = new FakeApiServer((exchange, n) -> answer(exchange));
  private final Set<String> nodes = new TreeSet<>(Set.of("n1", "n2"));
  private long nanos;
  private int page = 500;
  private int lists;
  private String served = "v1beta2";
  private int code = 200;
  private int writeCode = 200;
  private SeenSlice slice;
  private DeviceTaints taints;

  @BeforeEach
  void twoGpus() {
    publish("gpu-0", "gpu-1");
    taints =
        new DeviceTaints(
            installation, DRIVER, published, nodes::contains, change -> {}, () -> nanos);
  }

  @AfterEach
  void close() {
    server.close();
    calls.close();
  }

  /** Names of the devices of both GPUs. */
  private void publish(String first, String second) {
    publish(first, FIRST, second, SECOND);
  }

  private void publish(String first, String gpu, String second, String other) {
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
            .formatted(first, gpu, second, other);
    SeenSlice now = SeenSlice.of(Serialization.unmarshal(text, ResourceSlice.class), FORM);
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
    } else if (code != 200 || writeCode != 200 && !method.equals("GET")) {
      int refused = code != 200 ? code : writeCode;
      String status = FakeApiServer.status(refused, "Forbidden");
      FakeApiServer.send(
          exchange, refused, status.replace("told so", "devicetaintrules is forbidden"));
    } else if (method.equals("GET") && exchange.getRequestURI().getQuery() == null) {
      FakeApiServer.send(exchange, 200, rules.get(path.substring(path.lastIndexOf('/') + 1)));
    } else if (method.equals("GET")) {
      page(exchange);
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

  /** The page after the rules that its token counts. */
  private void page(HttpExchange exchange) throws IOException {
    lists++;
    Matcher token = CONTINUE.matcher(exchange.getRequestURI().getQuery());
    int from = token.find() ? Integer.parseInt(token.group(1)) : 0;
    int to = Math.min(rules.size(), from + page);
    FakeApiServer.send(
        exchange,
        200,
        "{\"apiVersion\":\"resource.k8s.io/v1beta2\",\"kind\":\"DeviceTaintRuleList\",\"metadata\":{\"continue\":\"%s\"},\"items\":[%s]}"
            .formatted(
                to < rules.size() ? to : "",
                String.join(",", List.copyOf(rules.values()).subList(from, to))));
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

  private @Nullable String set(Map<String, String> wanted) throws Exception {
    return set("n1", wanted);
  }

  private @Nullable String set(String node, Map<String, String> wanted) throws Exception {
    try (KubernetesClient client = server.client(Duration.ofSeconds(10))) {
      return taints.set(client, calls, node, new TreeMap<>(wanted));
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
            List.of(),
            List.of(),
            NodeLabelsAndTaints.NONE));
  }

  /** Fails when a taint stays on the device that has the former name of a quarantined GPU. */
  @Test
  void quarantinedGpuHasOneRuleThatFollowsItsDevice() throws Exception {
    refresh();
    var _ = set(Map.of(FIRST, "XID-79"));

    assertThat(writes).containsExactly("POST");
    String name = rules.firstKey();
    assertThat(name).startsWith("fairlead-" + installation.label() + "-gpu-0000");
    assertThat(rules.get(name))
        .contains("\"pool\":\"p1\"", "\"device\":\"gpu-0\"", "\"effect\":\"NoSchedule\"");
    assertThat(shown().labelsAndTaints().gpus()).isEqualTo(Map.of(FIRST, "XID-79"));
    assertThat(shown().gpus()).extracting(Gpu::state).containsOnly(GpuState.HEALTHY);
    var _ = set(Map.of(FIRST, "XID-79"));
    assertThat(writes).as("nothing to change").hasSize(1);

    publish("gpu-5", "gpu-0");
    assertThat(shown().labelsAndTaints().gpus()).isEqualTo(Map.of(FIRST, ""));
    var _ = set(Map.of(FIRST, "XID-79"));
    assertThat(writes).containsExactly("POST", "PATCH");
    assertThat(rules.get(name)).contains("\"device\":\"gpu-5\"");
    assertThat(shown().labelsAndTaints().gpus()).isEqualTo(Map.of(FIRST, "XID-79"));

    var _ = set(Map.of());
    assertThat(writes).containsExactly("POST", "PATCH", "DELETE");
    assertThat(rules).isEmpty();
    assertThat(shown().labelsAndTaints().gpus()).isEmpty();
  }

  private static String ofOthers(String name, String selector, String effect) {
    return "{\"apiVersion\":\"resource.k8s.io/v1beta2\",\"kind\":\"DeviceTaintRule\",\"metadata\":{\"name\":\"%s\"},\"spec\":{\"deviceSelector\":{%s},\"taint\":{\"key\":\"a/b\",\"effect\":\"%s\"}}}"
        .formatted(name, selector, effect);
  }

  /** Fails when rules after the first page are missed, or each change of a node lists all rules. */
  @Test
  void rulesOfAllPagesAreReadAndAChangeListsNone() throws Exception {
    page = 2;
    for (int i = 0; i < 4; i++) {
      rules.put("a" + i, ofOthers("a" + i, "\"driver\":\"net.example.com\"", "NoSchedule"));
    }
    rules.put("z", ofOthers("z", "\"pool\":\"p1\",\"device\":\"gpu-1\"", "NoSchedule"));
    refresh();

    assertThat(lists).isEqualTo(3);
    assertThat(shown().gpus())
        .extracting(Gpu::state)
        .containsExactly(GpuState.HEALTHY, GpuState.FAILED);
    var _ = set(Map.of(FIRST, "XID-79"));
    var _ = set(Map.of());
    assertThat(writes).containsExactly("POST", "DELETE");
    assertThat(lists).isEqualTo(3);
  }

  /** Fails when endless pages of rules are read on. */
  @Test
  void moreRulesThanPagesAreAReason() throws Exception {
    page = 0;
    rules.put("a", ofOthers("a", "\"device\":\"gpu-1\"", "NoSchedule"));
    refresh();

    assertThat(lists).isEqualTo(100);
    assertThat(taints.trouble()).isEqualTo("it has more than 50000 DeviceTaintRules");
  }

  /** Fails when a change that the cluster refuses because of an unknown rule is never repeated. */
  @Test
  void ruleCreatedWithoutAResponseIsReadBeforeTheNextChange() throws Exception {
    refresh();
    var _ = set(Map.of(FIRST, "XID-79"));
    String name = rules.firstKey();
    String made = rules.get(name);
    var _ = set(Map.of());
    rules.put(name, made);
    writeCode = 409;
    assertThatThrownBy(() -> set(Map.of(FIRST, "XID-79"))).isInstanceOf(CallFailure.class);
    writeCode = 200;
    try (KubernetesClient client = server.client(Duration.ofSeconds(10))) {
      taints.refresh(client, calls);
    }

    assertThat(shown().labelsAndTaints().gpus()).isEqualTo(Map.of(FIRST, "XID-79"));
  }

  /** Fails when a GPU gets jobs that the cluster rejects, or a foreign rule is removed. */
  @Test
  void foreignTaintFailsItsGpuAndRemains() throws Exception {
    rules.put("a", ofOthers("a", "\"pool\":\"p1\",\"device\":\"gpu-1\"", "NoSchedule"));
    rules.put("b", ofOthers("b", "\"device\":\"gpu-0\"", "None"));
    rules.put("c", ofOthers("c", "\"driver\":\"net.example.com\"", "NoSchedule"));
    rules.put("d", ofOthers("d", "\"deviceClassName\":\"net.example.com\"", "NoSchedule"));
    refresh();

    assertThat(shown().gpus())
        .extracting(Gpu::state)
        .containsExactly(GpuState.HEALTHY, GpuState.FAILED);
    assertThat(shown().allocatable().gpuMilli()).isEqualTo(1000);
    var _ = set(Map.of(FIRST, "operator"));
    var _ = set(Map.of());
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
    var _ = set(Map.of(FIRST, "XID-79"));
    assertThat(writes).isEmpty();

    served = "v1";
    code = 403;
    refresh();
    assertThat(taints.trouble()).contains("apply deploy/cluster-dra.yaml");
    code = 200;
    refresh();
    assertThat(taints.trouble()).isNull();
  }

  /** Fails when a healthy GPU that reuses the name of a lost GPU is unavailable to other users. */
  @Test
  void aTaintLeavesADeviceThatIsAnotherGpuNow() throws Exception {
    refresh();
    var _ = set(Map.of(FIRST, "XID-79"));
    publish("gpu-1", SECOND, "gpu-2", THIRD);
    assertThat(shown().labelsAndTaints().gpus())
        .as("a lost GPU retains its taint")
        .isEqualTo(Map.of(FIRST, "XID-79"));
    var _ = set(Map.of(FIRST, "XID-79"));
    assertThat(writes).containsExactly("POST");

    publish("gpu-0", SECOND, "gpu-1", THIRD);
    assertThat(shown().labelsAndTaints().gpus()).isEqualTo(Map.of(FIRST, ""));
    var _ = set(Map.of(FIRST, "XID-79"));
    assertThat(writes).containsExactly("POST", "DELETE");
    assertThat(shown().labelsAndTaints().gpus()).isEmpty();

    publish("gpu-0", "gpu-1");
    var _ = set(Map.of(FIRST, "XID-79"));
    assertThat(writes).containsExactly("POST", "DELETE", "POST");
  }

  /** Fails when rules of nodes that were removed accumulate. */
  @Test
  void aRuleOfANodeThatNoLongerExistsIsRemovedWithTheNextChange() throws Exception {
    refresh();
    var _ = set(Map.of(FIRST, "XID-79"));
    var _ = set("n2", Map.of(SECOND, "XID-48"));
    assertThat(rules).as("the node exists").hasSize(1);
    nodes.remove("n1");
    var _ = set("n2", Map.of(SECOND, "XID-48"));
    assertThat(writes).containsExactly("POST", "DELETE");
    assertThat(rules).isEmpty();
  }

  /** Fails when refused changes have no reason, delay the labels of nodes, or hide other rules. */
  @Test
  void aRefusedChangeNamesTheReasonAndHidesNoRulesOfOthers() throws Exception {
    rules.put("a", ofOthers("a", "\"pool\":\"p1\",\"device\":\"gpu-1\"", "NoSchedule"));
    refresh();
    writeCode = 403;
    var _ = set(Map.of(FIRST, "XID-79"));
    assertThat(taints.trouble()).contains("apply deploy/cluster-dra.yaml");
    assertThat(shown().gpus())
        .extracting(Gpu::state)
        .containsExactly(GpuState.HEALTHY, GpuState.FAILED);
    writeCode = 200;
    refresh();
    var _ = set(Map.of(FIRST, "XID-79"));
    assertThat(taints.trouble()).isNull();
    assertThat(writes).containsExactly("POST");
  }

  /** Fails when a rule that is refused for a single node delays the labels of all nodes. */
  @Test
  void anInvalidRuleConcernsItsNodeOnly() throws Exception {
    refresh();
    writeCode = 422;
    assertThat(set(Map.of(FIRST, "XID-79"))).contains("HTTP 422");
    assertThat(taints.trouble()).isNull();
    writeCode = 200;
    assertThat(set(Map.of(FIRST, "XID-79"))).isNull();
    assertThat(writes).containsExactly("POST");
  }

  /** Fails when a rule for a former driver of the cluster is neither read nor changed. */
  @Test
  void aRuleForAnotherDriverIsChanged() throws Exception {
    refresh();
    var _ = set(Map.of(FIRST, "XID-79"));
    String name = rules.firstKey();
    rules.put(name, rules.get(name).replace(DRIVER, "other.example.com"));
    refresh();
    assertThat(shown().labelsAndTaints().gpus()).isEqualTo(Map.of(FIRST, ""));
    var _ = set(Map.of(FIRST, "XID-79"));
    assertThat(rules.get(name)).contains(DRIVER);
    assertThat(writes).containsExactly("POST", "PATCH");
  }
}
