package dev.fairlead.work.workload.kubernetes.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.kubernetes.FakeApiServer;
import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.ClusterGates;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodePatcherTest {
  private static final String OTHERS =
      "{\"key\":\"example.com/team\",\"value\":\"a\",\"effect\":\"NoExecute\",\"timeAdded\":\"2030-01-01T00:00:00Z\"}";
  private static final NodeLabelsAndTaints SICK = new NodeLabelsAndTaints("day", "XID-79");

  private final Installation installation = new Installation(new UUID(1, 2), 1);
  private final String ours = installation.label();
  private final ClusterCalls calls =
      new ClusterGates(CallLimits.DEFAULT, FakeApiServer.PATIENCE, new SimpleMeterRegistry())
          .open("one");
  private final FakeApiServer server = new FakeApiServer((exchange, n) -> answer(exchange));
  private final NodePatcher patcher = new NodePatcher(installation, calls, null);
  private final List<String> patches = new ArrayList<>();
  private String node = node("", "", "[" + OTHERS + "]");
  private int code = 200;

  @AfterEach
  void close() {
    server.close();
    calls.close();
  }

  private static String node(String annotations, String labels, String taints) {
    return "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n1\",\"resourceVersion\":\"41\",\"annotations\":{%s},\"labels\":{%s}},\"spec\":{\"taints\":%s}}"
        .formatted(annotations, labels, taints);
  }

  private String ofOurs(String pool, String cause) {
    return node(
        "\"fairlead.dev/pool-by\":\"%s\",\"fairlead.dev/quarantine-by\":\"%s\""
            .formatted(ours, ours),
        "\"fairlead.dev/pool\":\"%s\"".formatted(pool),
        "[{\"key\":\"fairlead.dev/quarantine\",\"value\":\"%s\",\"effect\":\"NoSchedule\"},%s]"
            .formatted(cause, OTHERS));
  }

  private void answer(HttpExchange exchange) throws IOException {
    if (exchange.getRequestMethod().equals("GET")) {
      FakeApiServer.send(
          exchange, 200, "{\"apiVersion\":\"v1\",\"kind\":\"NodeList\",\"items\":[" + node + "]}");
    } else {
      patches.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
      FakeApiServer.send(
          exchange, code, code == 200 ? node : FakeApiServer.status(code, "Conflict"));
    }
  }

  private ActionOutcome set(NodeLabelsAndTaints wanted) throws Exception {
    try (KubernetesClient client = server.client(Duration.ofSeconds(10))) {
      return patcher.setLabelsAndTaints(client, "n1", wanted);
    }
  }

  private NodeReport report() {
    return new NodeReports(new TopologyLevels(List.of()), ours)
        .of(Serialization.unmarshal(node, Node.class));
  }

  /**
   * Fails when taints of others are removed, or when a concurrent change of theirs is overwritten.
   */
  @Test
  void singlePatchOfTheReadNodeKeepsForeignFields() throws Exception {
    assertThat(set(SICK)).isInstanceOf(ActionOutcome.Done.class);
    assertThat(patches)
        .singleElement()
        .asString()
        .contains(
            "\"resourceVersion\":\"41\"",
            "\"fairlead.dev/pool\":\"day\"",
            "\"fairlead.dev/pool-by\":\"" + ours,
            "\"fairlead.dev/quarantine-by\":\"" + ours,
            "example.com/team",
            "2030-01-01T00:00:00Z",
            "\"value\":\"XID-79\"");
    code = 409;
    assertThat(set(SICK)).isInstanceOf(ActionOutcome.Unavailable.class);
  }

  /** Fails when no label is removed, for example because a patch omits nulls. */
  @Test
  void onlyOurFieldsAreRemoved() throws Exception {
    node = ofOurs("day", "XID-79");
    set(NodeLabelsAndTaints.NONE);
    assertThat(patches)
        .singleElement()
        .asString()
        .contains(
            "\"fairlead.dev/pool\":null",
            "\"fairlead.dev/pool-by\":null",
            "\"fairlead.dev/quarantine-by\":null",
            "example.com/team")
        .doesNotContain("fairlead.dev/quarantine\"");
    patches.clear();
    assertThat(set(SICK)).isInstanceOf(ActionOutcome.Done.class);
    assertThat(patches).as("it shows that already").isEmpty();
  }

  /** Fails when a label that a user or another installation set is overwritten. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | \"fairlead.dev/pool\":\"mine\" | []",
        "\"fairlead.dev/pool-by\":\"another\" | \"fairlead.dev/pool\":\"mine\" | []",
        "'' | '' | [{\"key\":\"fairlead.dev/quarantine\",\"effect\":\"NoSchedule\"}]"
      })
  void foreignFieldsStay(String annotations, String labels, String taints) throws Exception {
    node = node(annotations, labels, taints);
    assertThat(set(SICK))
        .isInstanceOfSatisfying(
            ActionOutcome.Refused.class,
            refused -> assertThat(refused.why()).isEqualTo(ActionOutcome.Why.NAME_TAKEN));
    assertThat(patches)
        .singleElement()
        .asString()
        .as("the other one is shown")
        .doesNotContain(taints.equals("[]") ? "fairlead.dev/pool" : "fairlead.dev/quarantine");
    patches.clear();
    assertThat(set(NodeLabelsAndTaints.NONE)).isInstanceOf(ActionOutcome.Done.class);
    assertThat(patches).isEmpty();
    assertThat(report().labelsAndTaints().none()).isTrue();
    assertThat(report().labels().size() + report().taints().size()).isEqualTo(1);
  }

  /** Fails when a pool that selects by such a label would have its nodes forever or never. */
  @Test
  void fairleadsMarksAreNotReportedAsLabelsOrTaintsOfTheNode() {
    node = ofOurs("day", "XID-79");
    assertThat(report().labelsAndTaints()).isEqualTo(SICK);
    assertThat(report().labels()).isEmpty();
    assertThat(report().taints()).extracting("key").containsExactly("example.com/team");
  }

  /** Fails when a quarantine of another installation does not repel jobs of this installation. */
  @Test
  void foreignQuarantineIsATaintThatRepelsJobs() {
    node =
        node(
            "\"fairlead.dev/quarantine-by\":\"another\"",
            "",
            "[{\"key\":\"fairlead.dev/quarantine\",\"value\":\"XID-79\",\"effect\":\"NoSchedule\"}]");
    assertThat(report().taints())
        .singleElement()
        .matches(dev.fairlead.fleet.node.Taint::keepsJobsOut);
  }

  /** Fails when an annotation remains on the node after the removal of its label. */
  @Test
  void annotationChangeAloneCounts() throws Exception {
    node = node("\"fairlead.dev/pool-by\":\"" + ours + "\"", "", "[]");
    assertThat(report().labelsAndTaints()).isEqualTo(new NodeLabelsAndTaints("", null));
    set(NodeLabelsAndTaints.NONE);
    assertThat(patches).singleElement().asString().contains("\"fairlead.dev/pool-by\":null");
  }
}
