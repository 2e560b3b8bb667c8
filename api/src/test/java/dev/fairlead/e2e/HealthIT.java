package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Health events, incidents and quarantines from the view of monitors and operators. */
class HealthIT {
  private static final String CLUSTER = "health-it";
  private static final String EVENTS = "/api/v1/clusters/" + CLUSTER + "/health-events";
  private final Http http = RunningFairlead.shared().http();

  private JsonNode firstNode() {
    if (http.get("/api/v1/clusters/" + CLUSTER).status() == 404) {
      Http.Answer made =
          http.yaml(
              "/api/v1/clusters",
              "{name: %s, kind: SIMULATED, fleet: [{nodes: 4, gpusPerNode: 8, model: H100}]}"
                  .formatted(CLUSTER));
      assertThat(made.status()).as(made.body()).isEqualTo(201);
    }
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> !nodes().isEmpty() && state(nodes().get(0)).equals("ACTIVE"));
    return nodes().get(0);
  }

  private JsonNode nodes() {
    return http.get("/api/v1/nodes?cluster=" + CLUSTER).json().get("items");
  }

  private String state(JsonNode node) {
    return http.get("/api/v1/nodes/" + node.get("id").asString()).json().path("state").asString("");
  }

  @Test
  void aFaultIsReportedShownAndReleased() {
    JsonNode node = firstNode();
    String name = node.get("name").asString();
    String event =
        "{events: [{id: it-%s, at: '%s', node: %s, gpu: GPU-1, serial: '1653922', xid: 79}]}"
            .formatted(name, Instant.now(), name); // the service's own clock is this machine's
    JsonNode monitor =
        http.yaml(
                "/api/v1/tokens",
                "{name: it, user: 'sa:dcgm', role: monitor, cluster: %s}".formatted(CLUSTER))
            .json();
    String[] bearer = {"Authorization", "Bearer " + monitor.get("token").asString()};

    Http.Answer taken = http.yaml(EVENTS, event, bearer);
    assertThat(taken.status()).as(taken.body()).isEqualTo(200);
    JsonNode item = taken.json().at("/items/0");
    assertThat(item.get("outcome").asString()).isEqualTo("STORED");
    assertThat(http.yaml(EVENTS, event, bearer).json().at("/items/0/outcome").asString())
        .isEqualTo("DUPLICATE");
    assertThat(http.get("/api/v1/nodes", bearer).status())
        .as("it can do nothing else")
        .isEqualTo(403);
    assertThat(http.get("/api/v1/incidents", bearer).status()).isEqualTo(403);
    assertThat(state(node)).isEqualTo("QUARANTINED");

    JsonNode incident = http.get("/api/v1/incidents?open=true&node=" + name).json().at("/items/0");
    assertThat(incident.get("id")).isEqualTo(item.get("incident"));
    assertThat(incident.get("cause").asString()).isEqualTo("XID 79 (GPU has fallen off the bus)");
    assertThat(incident.at("/quarantine/until").isNull()).isFalse();

    JsonNode timeline = http.get("/api/v1/nodes/" + name + "/timeline?sinceTime=2h").json();
    assertThat(timeline.get("items"))
        .extracting(entry -> entry.get("type").asString())
        .contains("IncidentOpened", "NodeQuarantined");
    String ofCluster = "/api/v1/clusters/" + CLUSTER + "/timeline";
    JsonNode first = http.get(ofCluster + "?pageSize=1").json();
    assertThat(first.get("items")).hasSize(1);
    String next = ofCluster + "?pageSize=1&pageToken=" + first.get("nextPageToken").asString();
    assertThat(http.get(next).json().at("/items/0")).isNotEqualTo(first.at("/items/0"));
    assertThat(http.get(ofCluster + "?sinceTime=32d").status()).isEqualTo(400);

    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> !http.get("/api/v1/repairs?node=" + name).json().at("/items/0").isMissingNode());
    String repair =
        "/api/v1/repairs/"
            + http.get("/api/v1/repairs?node=" + name).json().at("/items/0/id").asString();
    assertThat(http.get(repair).json().get("step").asString()).isEqualTo("POWER_CYCLE");
    String orders = repair + "/orders";
    assertThat(
            http.yaml(orders, "{order: SKIP, step: POWER_CYCLE, reason: no switch}")
                .json()
                .get("step")
                .asString())
        .isEqualTo("SERVICE");
    assertThat(http.yaml(orders, "{order: SKIP, step: POWER_CYCLE, reason: no switch}").status())
        .isEqualTo(409);
    assertThat(http.yaml(orders, "{order: RESUME, step: SERVICE, reason: x}").code())
        .isEqualTo("ILLEGAL_STATE");
    assertThat(http.yaml(orders, "{order: FIX}").status()).isEqualTo(422);

    String path = "/api/v1/nodes/" + node.get("id").asString();
    JsonNode held = http.yaml(path + "/quarantine", "{reason: waits for a part}").json();
    assertThat(held.at("/items/0/owner").asString()).isNotEmpty();
    assertThat(held.at("/items/0/until").isNull()).isTrue();
    assertThat(http.send("POST", path + "/release?reason=exchanged", null).status()).isEqualTo(200);
    assertThat(http.send("POST", path + "/release", null).code()).isEqualTo("ILLEGAL_STATE");
    assertThat(http.yaml(path + "/release", "{reason: again}").code()).isEqualTo("ILLEGAL_STATE");
    await().atMost(Duration.ofSeconds(60)).until(() -> state(node).equals("ACTIVE"));
    assertThat(
            http.get("/api/v1/incidents/" + incident.get("id").asString())
                .json()
                .get("endedAt")
                .isNull())
        .isFalse();
    assertThat(http.get("/api/v1/incidents?open=true&node=" + name).json().get("items")).isEmpty();
    assertThat(
            http.get("/api/v1/incidents?node=" + name).json().at("/items/0/isolation").asString())
        .isEqualTo("node " + name + " took nothing new");
  }

  @Test
  void theDevicesOfAMemberAreShownWithTheirSource() {
    firstNode();
    String spec =
        "{name: on-device, image: busybox, gpu: 1, placement: {clusters: [%s]}, annotations: {'sim.fairlead.dev/run-for': 10m}}";
    String job =
        "/api/v1/jobs/"
            + http.yaml("/api/v1/projects/default/jobs", spec.formatted(CLUSTER))
                .json()
                .get("id")
                .asString();
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> !http.get(job + "/members").json().at("/items/0/devices/0").isMissingNode());
    JsonNode member = http.get(job + "/members").json().at("/items/0");
    String gpu = member.at("/devices/0/gpu").asString();
    assertThat(member.get("gpuIdentity").asString()).isEqualTo("ENFORCED");
    assertThat(member.at("/gpus/0/serial").asString()).isEqualTo(gpu);
    assertThat(member.at("/devices/0/sources/0").asString()).isEqualTo("POD_STATUS");
    assertThat(member.at("/devices/0/part").asBoolean()).isFalse();
    assertThat(member.at("/devices/0/serial").isNull()).isTrue();

    String listed = "{inventory: [{node: %s, at: '%s', gpus: [{gpu: %s, serial: '1699'}]}]}";
    String node = member.get("node").asString();
    assertThat(http.yaml(EVENTS, listed.formatted(node, Instant.now(), gpu)).status())
        .isEqualTo(200);
    assertThat(
            http.get(job + "/attempts").json().at("/items/0/members/0/devices/0/serial").asString())
        .isEqualTo("1699");
    http.send("POST", job + "/cancel", null);
  }

  @Test
  void allocationsOfAnUnknownMachineAreIgnored() {
    firstNode();
    String held =
        "{allocations: [{node: %s, at: '%s', pods: [{uid: 3d0c2b1a, gpus: [GPU-1, MIG-1]}]}]}";
    assertThat(http.yaml(EVENTS, held.formatted("nowhere", Instant.now())).json().get("leftAside"))
        .extracting(JsonNode::asString)
        .containsExactly("nowhere");
    String name = nodes().get(0).get("name").asString();
    assertThat(http.yaml(EVENTS, held.formatted(name, Instant.now())).json().get("leftAside"))
        .isEmpty();
    assertThat(
            http.yaml(EVENTS, "{allocations: [{node: n, at: '%s'}]}".formatted(Instant.now()))
                .code())
        .isEqualTo("INVALID_FIELD");
  }

  @Test
  void deviceIsTrackedFromNodeToNode() {
    firstNode();
    String a = nodes().get(2).get("name").asString();
    String b = nodes().get(3).get("name").asString();
    Instant now = Instant.now(); // the service's own clock is this machine's
    String listed = "{inventory: [{node: %s, at: '%s', gpus: [%s]}]}";
    String gpu = "{gpu: GPU-moves, serial: '1650'}";
    assertThat(http.yaml(EVENTS, listed.formatted(a, now.minusSeconds(9), gpu)).status())
        .isEqualTo(200);
    http.yaml(EVENTS, listed.formatted(a, now.minusSeconds(8), ""));
    assertThat(http.get("/api/v1/gpus/1650").json().path("state").asString(""))
        .isEqualTo("UNKNOWN");
    http.yaml(EVENTS, listed.formatted(b, now.minusSeconds(7), gpu));

    JsonNode found = http.get("/api/v1/gpus/1650").json();
    assertThat(found.get("uuid").asString()).isEqualTo("GPU-moves");
    assertThat(found.get("node").asString()).isEqualTo(b);
    assertThat(found.get("state").asString()).isEqualTo("PRESENT");
    assertThat(found.get("cluster").asString()).isEqualTo(CLUSTER);
    assertThat(
            http.get("/api/v1/gpus/GPU-moves/history")
                .json()
                .get("items")
                .findValuesAsString("kind"))
        .containsExactly("MOVED", "MISSING", "FOUND");
    assertThat(http.get("/api/v1/gpus/GPU-none").status()).isEqualTo(404);
    assertThat(
            http.yaml(EVENTS, listed.formatted("no-such-node", now, gpu))
                .json()
                .at("/leftAside/0")
                .asString())
        .isEqualTo("no-such-node");
  }

  @Test
  void invalidReportIsRejectedWithEachWrongField() {
    firstNode();
    for (String bad :
        new String[] {
          "{}",
          "{events: []}",
          "{events: [{id: a, at: yesterday, node: n, xid: 79}]}",
          "{events: [{id: a, at: '2030-01-01T00:00:00Z', node: n, xid: 0}]}",
          "{events: [{id: 'a b', at: '2030-01-01T00:00:00Z', node: n, xid: 79}]}",
          "{events: [{id: a, at: '2030-01-01T00:00:00Z', node: n, xid: 79, fatal: true}]}",
          "{events: [{id: a, at: '2030-01-01T00:00:00Z', node: n}]}",
          "{events: [{id: a, at: '2030-01-01T00:00:00Z', node: n, xid: 79, code: DCGM_FR_OK}]}",
          "{events: [{id: a, at: '2030-01-01T00:00:00Z', node: n, code: XID_79}]}",
          "{events: [7]}",
          "{events: [{id: a, at: '2030-01-01T00:00:00Z', node: n, xid: 79}], inventory: []}",
          "{inventory: [{node: n, at: '2030-01-01T00:00:00Z'}]}",
          "{inventory: [{node: n, at: '2030-01-01T00:00:00Z', gpus: [{serial: '1'}]}]}"
        }) {
      assertThat(http.yaml(EVENTS, bad).status()).as(bad).isEqualTo(422);
    }
    String future = "{events: [{id: f, at: '2999-01-01T00:00:00Z', node: n, xid: 79}]}";
    assertThat(http.yaml(EVENTS, future).json().at("/items/0/outcome").asString())
        .isEqualTo("REFUSED");
    assertThat(http.yaml("/api/v1/clusters/none-such/health-events", future).status())
        .isEqualTo(404);
    assertThat(http.get("/api/v1/incidents/inc_x").status()).isEqualTo(404);
  }

  /** Fails when a token of a monitor cannot announce the end of a machine, or its withdrawal. */
  @Test
  void externalNoticeIsShownOnItsNodeUntilItIsWithdrawn() {
    firstNode();
    JsonNode node = nodes().get(1);
    JsonNode monitor =
        http.yaml(
                "/api/v1/tokens",
                "{name: bridge, user: 'sa:bridge', role: monitor, cluster: %s}".formatted(CLUSTER))
            .json();
    String[] bearer = {"Authorization", "Bearer " + monitor.get("token").asString()};
    String notices = "/api/v1/clusters/" + CLUSTER + "/notices";
    Instant deadline =
        Instant.now().plusSeconds(7_200); // the service's own clock is this machine's
    String text =
        "{id: 'arn:one', node: %s, kind: MAINTENANCE, deadline: '%s', reason: new host}"
            .formatted(node.get("name").asString(), deadline);

    Http.Answer taken = http.yaml(notices, text, bearer);
    assertThat(taken.status()).as(taken.body()).isEqualTo(200);
    assertThat(taken.json().get("outcome").asString()).isEqualTo("STORED");
    assertThat(http.yaml(notices, text, bearer).json().get("outcome").asString())
        .isEqualTo("DUPLICATE");
    await().atMost(Duration.ofSeconds(60)).until(() -> state(node).equals("CORDONED"));
    String shown = "/api/v1/nodes/" + node.get("id").asString();
    assertThat(http.get(shown).json().at("/notice/source").asString())
        .isEqualTo("announced/arn:one");

    http.yaml(notices, "{id: 'arn:one', withdrawn: true}", bearer);
    await().atMost(Duration.ofSeconds(60)).until(() -> state(node).equals("ACTIVE"));
    for (String bad :
        new String[] {
          "{}",
          "{id: two, withdrawn: true}",
          "{id: two, node: no-such-node, kind: SPOT}",
          "{id: two, node: n, kind: WITHDRAWN}",
          "{id: 'a b', node: n, kind: SPOT}",
          "{id: 'arn:one', node: n, kind: SPOT, withdrawn: true}",
          "{id: two, node: %s, kind: SPOT, deadline: '2020-01-01T00:00:00Z'}"
              .formatted(node.get("name").asString())
        }) {
      assertThat(http.yaml(notices, bad).status()).as(bad).isEqualTo(422);
    }
    assertThat(http.yaml("/api/v1/clusters/none-such/notices", text).status()).isEqualTo(404);
  }

  /** Fails when a DCGM code is judged by another row, or a code of a later DCGM is refused. */
  @Test
  void dcgmCodesAreJudgedByName() {
    firstNode();
    String node = nodes().get(2).get("name").asString();
    String event = "{id: dcgm-%s, at: '%s', node: %s, gpu: GPU-dcgm, code: %s}";
    JsonNode items =
        http.yaml(
                EVENTS,
                "{events: [%s, %s]}"
                    .formatted(
                        event.formatted("width", Instant.now(), node, "DCGM_FR_PCIE_WIDTH"),
                        event.formatted("new", Instant.now(), node, "DCGM_FR_OF_ANOTHER_YEAR")))
            .json()
            .get("items");

    assertThat(items.at("/0/verdict").asString()).isEqualTo("HARMLESS");
    assertThat(items.at("/0/detail").asString()).startsWith("DCGM_FR_PCIE_WIDTH (");
    assertThat(items.at("/1/outcome").asString()).isEqualTo("STORED");
    assertThat(items.at("/1/verdict").asString()).isEqualTo("UNKNOWN");
    JsonNode replayed =
        http.yaml("/api/v1/health-rules/replay", "{code: DCGM_FR_PCIE_WIDTH, quarantine: GPU}")
            .json();
    assertThat(replayed.get("quarantines").asInt()).isEqualTo(1);
  }

  /** Fails when a rule that would take half of a cluster out of service is accepted, or applied. */
  @Test
  void ruleDryRunOnStoredEventsChangesNothing() {
    firstNode();
    for (int i = 0; i < 2; i++) {
      String event =
          "{events: [{id: rule-%d, at: '%s', node: %s, gpu: GPU-rule-%d, xid: 68}]}"
              .formatted(i, Instant.now(), nodes().get(2 + i).get("name").asString(), i);
      assertThat(http.yaml(EVENTS, event).status()).isEqualTo(200);
    }
    String replay = "/api/v1/health-rules/replay";

    JsonNode none = http.yaml(replay, "{xid: 68, quarantine: NONE}").json();
    assertThat(none.get("allowed").asBoolean()).isTrue();
    assertThat(none.get("quarantines").asInt()).isZero();
    JsonNode node = http.yaml(replay, "{xid: 68, quarantine: NODE}").json();
    assertThat(node.get("events").asInt()).isEqualTo(2);
    assertThat(node.get("quarantines").asInt()).isEqualTo(2);
    assertThat(node.get("currentQuarantines").asInt()).isZero();
    assertThat(node.get("allowed").asBoolean()).isFalse();
    assertThat(node.at("/refusals/0").asString()).contains("2 nodes of cluster " + CLUSTER);
    assertThat(node.at("/hits/0/node").asString()).isEqualTo(nodes().get(2).get("name").asString());
    assertThat(state(nodes().get(2))).isEqualTo("ACTIVE");

    assertThat(http.yaml(replay, "{xid: 999, quarantine: NODE}").status()).isEqualTo(404);
    assertThat(http.yaml(replay, "{xid: 68, quarantine: RACK}").status()).isEqualTo(422);
    assertThat(http.yaml(replay, "{xid: 68, quarantine: NODE, back: 8d}").status()).isEqualTo(422);
  }

  /**
   * Fails when a rack that is out of service has a node in use, when its release returns a node
   * that has a separate quarantine, when a job that waits for it does not name it or still names it
   * after its release, or when an invalid request has an effect.
   */
  @Test
  void aRackIsTakenOutOfUseAndBack() {
    String racks = "racks-it";
    String path = "/api/v1/clusters/" + racks + "/domain-quarantines";
    http.yaml(
        "/api/v1/clusters",
        "{name: %s, kind: SIMULATED, fleet: [{nodes: 4, gpusPerNode: 8, model: H100, blocks: 1,"
                .formatted(racks)
            + " racksPerBlock: 2}]}");
    await().atMost(Duration.ofSeconds(60)).until(() -> states(racks).equals("AAAA"));
    String order = "{level: rack, domain: racks-it-r00, reason: cooling fails, lasts: 2d}";

    JsonNode tried = http.yaml(path + "?validateOnly=true", order).json();
    assertThat(tried.get("nodeNames")).hasSize(2);
    assertThat(states(racks)).isEqualTo("AAAA");
    Http.Answer made = http.yaml(path, order, "Idempotency-Key", "racks-it-1");
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    assertThat(states(racks)).isEqualTo("QQAA");
    assertThat(http.yaml(path, order, "Idempotency-Key", "racks-it-1").body())
        .isEqualTo(made.body());
    assertThat(http.yaml(path, order).code()).isEqualTo("NAME_IN_USE");
    assertThat(
            http.yaml(path, order.replace("r00", "r07")).json().at("/errors/0/detail").asString())
        .contains("racks-it-r00, racks-it-r01.");
    for (String bad : new String[] {"{}", "{level: rack, domain: x, reason: y, scope: z}"}) {
      assertThat(http.yaml(path, bad).status()).as(bad).isEqualTo(422);
    }

    String spec =
        "{name: racks-it, image: x, workers: 4, gpu: H100:8, placement: {clusters: [racks-it]}}";
    String job = http.yaml("/api/v1/projects/default/jobs", spec).json().get("id").asString();
    await().atMost(Duration.ofSeconds(60)).until(() -> why(job).contains("\"QUARANTINED\""));
    assertThat(why(job))
        .contains("racks-it-r00 of racks-it ", ": 2 of its nodes")
        .doesNotContain("cooling fails");

    String id = made.json().get("id").asString();
    String one = path + "/" + id;
    assertThat(http.get(one).header("ETag")).isEqualTo("\"1\"");
    String patch = "{lasts: 5d, reason: waits for a pump}";
    Http.Answer changed = patch(one, patch, "\"1\"");
    assertThat(changed.json().get("reason").asString()).isEqualTo("waits for a pump");
    assertThat(patch(one, patch, "\"1\"").status()).isEqualTo(412);
    assertThat(patch(one, "{until: '2001-01-01T00:00:00Z'}", "*").status()).isEqualTo(422);
    String both = "{until: '2100-01-01T00:00:00Z', lasts: 1h}";
    Http.Answer twoEnds = patch(one, both, "*");
    assertThat(twoEnds.json().at("/errors/0/code").asString()).isEqualTo("CONFLICTING_FIELDS");
    assertThat(twoEnds.json().at("/errors/0/pointer").asString()).isEqualTo("/lasts");
    assertThat(http.get(one).json().get("until")).isEqualTo(changed.json().get("until"));
    assertThat(patch(one, "{until: null}", "*").json().get("until").isNull()).isTrue();
    String node = "/api/v1/nodes/" + tried.at("/nodeNames/0").asString();
    assertThat(http.yaml(node + "/release", "{reason: fine}").body())
        .contains("racks-it-r00", "waits for a pump", id);
    http.yaml(node + "/quarantine", "{reason: waits for a part}");

    JsonNode over = http.yaml(one + "/release", "{reason: cooled again}").json();
    assertThat(over.at("/otherwiseQuarantined/0")).isEqualTo(tried.at("/nodeNames/0"));
    assertThat(http.yaml(one + "/release", "{reason: again}").code()).isEqualTo("ILLEGAL_STATE");
    await().atMost(Duration.ofSeconds(60)).until(() -> states(racks).equals("QAAA"));
    await().atMost(Duration.ofSeconds(60)).until(() -> !why(job).contains("\"QUARANTINED\""));
    assertThat(why(job)).contains("\"CAPACITY\"");
    http.json("/api/v1/jobs/" + job + "/cancel", "");
    assertThat(http.get(path + "?standing=true").json().get("items")).isEmpty();
    assertThat(http.get(path + "?pageSize=1").json().at("/items/0/nodes").asInt()).isEqualTo(2);
    assertThat(http.get(node + "/timeline?sinceTime=2h").body())
        .contains("racks-it-r00", "waits for a pump", "cooled again");
    assertThat(http.get(path.replace("racks-it", "none-such")).status()).isEqualTo(404);
    assertThat(http.get("/api/v1/clusters/" + CLUSTER + "/domain-quarantines/" + id).status())
        .as("of another cluster")
        .isEqualTo(404);
  }

  private String why(String job) {
    return http.get("/api/v1/jobs/" + job + "/explanation").body();
  }

  private Http.Answer patch(String path, String body, String version) {
    return http.send("PATCH", path, body, "Content-Type", Http.YAML, "If-Match", version);
  }

  /** The first letters of the states of its nodes, by name. */
  private String states(String cluster) {
    StringBuilder states = new StringBuilder();
    http.get("/api/v1/nodes?cluster=" + cluster)
        .json()
        .get("items")
        .forEach(node -> states.append(node.get("state").asString().charAt(0)));
    return states.toString();
  }
}
