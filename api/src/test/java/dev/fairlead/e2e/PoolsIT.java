package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Pools created by an operator, and their effect on jobs of two tenants. */
class PoolsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String POOLS = "/api/v1/pools";
  private static final String[] RIVAL = {"Fairlead-Tenant", "pool-rival"};
  private static final Http HTTP = RunningFairlead.shared().http();

  @BeforeAll
  static void twoClustersAndTwoTenants() {
    made("/api/v1/tenants", "{name: pool-rival}");
    for (String name : List.of("pool-a", "pool-b")) {
      made(
          "/api/v1/clusters",
          "{name: %s, kind: SIMULATED, fleet: [{nodes: 2, gpusPerNode: 4, model: A30}]}"
              .formatted(name));
      await()
          .atMost(PATIENCE)
          .until(() -> HTTP.get("/api/v1/clusters/" + name).json().get("nodes").asInt() == 2);
    }
  }

  private static JsonNode made(String path, String body, String... headers) {
    Http.Answer answer = HTTP.yaml(path, body, headers);
    assertThat(answer.status()).as(path + " " + answer.body()).isEqualTo(201);
    return answer.json();
  }

  private static String submitted(String name, String placement, String... headers) {
    String spec =
        "{name: %s, image: x, gpu: A30:1, placement: {%s}, annotations: {sim.fairlead.dev/run-for: 1h}}"
            .formatted(name, placement);
    return "/api/v1/jobs/"
        + made("/api/v1/projects/default/jobs", spec, headers).get("id").asString();
  }

  private static JsonNode get(String path, String... headers) {
    return HTTP.get(path, headers).json();
  }

  private static void delete(String pool) {
    Http.Answer answer = HTTP.send("DELETE", POOLS + "/" + pool, null, "If-Match", "*");
    assertThat(answer.status()).as(answer.body()).isEqualTo(204);
  }

  private static void running(String job, String... headers) {
    await()
        .atMost(PATIENCE)
        .until(() -> get(job, headers).path("state").asString("").equals("RUNNING"));
  }

  /**
   * Fails when a supply is stored whose nodes would not belong to the pool, or that calls an
   * internal address.
   */
  @Test
  void supplyIsValidatedReadAndRemoved() {
    made(POOLS, "{name: burst, selector: {clusters: [pool-b], models: [H200]}}");
    String path = POOLS + "/burst/supply";
    assertThat(HTTP.get(path).status()).isEqualTo(404);
    assertThat(put(path, "A30", "https://93.184.216.34/nodes").body()).contains("would not belong");
    assertThat(put(path, "H200", "https://10.0.0.1/nodes").body()).contains("UNSAFE_ADDRESS");

    JsonNode set = put(path, "H200", "https://93.184.216.34/nodes").json();
    assertThat(set.get("signingKey").asString()).hasSize(64);
    JsonNode read = get(path);
    assertThat(read.get("signingKey").isNull()).isTrue();
    assertThat(read.get("room").asInt()).isEqualTo(2);
    assertThat(read.at("/node/memory").asString()).isEqualTo("512Gi");
    assertThat(HTTP.send("DELETE", POOLS + "/burst", null, "If-Match", "*").body())
        .contains("Delete its supply first");

    String other = "{\"selector\": {\"clusters\": [\"pool-b\"], \"models\": [\"A30\"]}}";
    assertThat(patched(POOLS + "/burst", other, "\"1\"").body())
        .contains("CONFLICTING_FIELDS", "no longer belong");

    assertThat(HTTP.send("DELETE", path + "?forceReason=x", null).body())
        .contains("INVALID_PARAMETER", "3 to 500 characters");
    assertThat(HTTP.send("DELETE", path + "?forceReason=account%20closed", null).status())
        .isEqualTo(204);
    delete("burst");
  }

  /**
   * Fails when a supply is stored without a provisioner, with two provisioners, or for an arbitrary
   * node group.
   */
  @Test
  void autoscalerSupplyIsDefinedByClassAndLabels() {
    made(POOLS, "{name: scaled, selector: {clusters: [pool-b], models: [H200]}}");
    String path = POOLS + "/scaled/supply";
    String one = "\"provisioningRequest\": {\"className\": \"check.example.com\"}";
    String two = one + ", \"webhook\": {\"url\": \"https://93.184.216.34/nodes\"}";
    String label = ", \"labels\": {\"group\": \"h200\"}";
    assertThat(supplied(path, two, label).body()).contains("CONFLICTING_FIELDS", "either webhook");
    assertThat(supplied(path, one, "").body()).contains("/node/labels", "by their labels");
    String odd = "\"provisioningRequest\": {\"className\": \"Not A Name\"}";
    assertThat(supplied(path, odd, label).body()).contains("/provisioningRequest/className");

    JsonNode set = supplied(path, one, label).json();
    assertThat(set.get("webhook").isNull()).isTrue();
    assertThat(set.get("signingKey").isNull()).isTrue();
    assertThat(get(path).at("/provisioningRequest/className").asString())
        .isEqualTo("check.example.com");

    assertThat(HTTP.send("DELETE", path, null).status()).isEqualTo(204);
    delete("scaled");
  }

  /** Fails when nodes remain that will never be returned, or a cluster can never be disabled. */
  @Test
  void clusterWithSupplyRequestsIsDisabledByForceOnly() {
    String cluster = "/api/v1/clusters/pool-c";
    made(
        "/api/v1/clusters",
        "{name: pool-c, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 4, model: A30}]}");
    await().atMost(PATIENCE).until(() -> get(cluster).get("nodes").asInt() == 1);
    made(POOLS, "{name: asked-for, selector: {clusters: [pool-c]}}");
    String path = POOLS + "/asked-for/supply";
    String supply =
        """
        {"cluster": "pool-c", "maxNodes": 2, "provisioningRequest": {"className": "x.example.com"},
         "node": {"model": "A30", "gpus": 8, "capacity": "ON_DEMAND", "cpu": 64, "memory": "512Gi",
         "labels": {"group": "a30"}}}
        """;
    assertThat(HTTP.send("PUT", path, supply, "Content-Type", Http.JSON).status()).isEqualTo(200);
    String wide = "{name: wide-c, image: x, gpu: A30:8, placement: {pools: [asked-for]}}";
    String job = "/api/v1/jobs/" + made("/api/v1/projects/default/jobs", wide).get("id").asString();
    await().atMost(PATIENCE).until(() -> !get(path).get("requests").isEmpty());

    Http.Answer refused = patched(cluster, "{\"state\": \"DISABLED\"}", "*");
    assertThat(refused.code()).isEqualTo("ILLEGAL_STATE");
    assertThat(refused.body()).contains("1 open request for nodes: sup_", "of pool asked-for");
    Http.Answer forced = patched(cluster + "?force=true", "{\"state\": \"DISABLED\"}", "*");
    assertThat(forced.status()).as(forced.body()).isEqualTo(200);
    assertThat(get(cluster).get("state").asString()).isEqualTo("DISABLED");

    HTTP.json(job + "/cancel", "");
    HTTP.send("DELETE", path + "?forceReason=closed", null);
    delete("asked-for");
  }

  private static Http.Answer supplied(String path, String provisioner, String labels) {
    return HTTP.send(
        "PUT",
        path,
        """
        {"cluster": "pool-b", "maxNodes": 2, %s, "node": {"model": "H200", "gpus": 8,
         "capacity": "ON_DEMAND", "cpu": 64, "memory": "512Gi"%s}}
        """
            .formatted(provisioner, labels),
        "Content-Type",
        Http.JSON);
  }

  private static Http.Answer put(String path, String model, String url) {
    return HTTP.send(
        "PUT",
        path,
        """
        {"cluster": "pool-b", "maxNodes": 2, "webhook": {"url": "%s"}, "node": {"model": "%s",
         "gpus": 8, "capacity": "ON_DEMAND", "cpu": 64, "memory": "512Gi"}}
        """
            .formatted(url, model),
        "Content-Type",
        Http.JSON);
  }

  /**
   * Fails when a pool of a tenant accepts jobs of another tenant, or the planner uses an old owner.
   */
  @Test
  void nodesOfATenantPoolAcceptOnlyItsJobsFromTheNextCycle() {
    JsonNode pool =
        made(POOLS, "{name: owned, tenant: pool-rival, selector: {clusters: [pool-a]}}");
    assertThat(pool.get("nodes").asInt()).isEqualTo(2);

    String mine = submitted("mine", "clusters: [pool-a]");
    String theirs = submitted("theirs", "pools: [owned]", RIVAL);

    running(theirs, RIVAL);
    await()
        .atMost(PATIENCE)
        .until(() -> get(mine + "/explanation").path("reason").asString(""), "NEVER_FITS"::equals);
    assertThat(get(theirs, RIVAL).at("/placement/cluster").asString()).isEqualTo("pool-a");
    delete("owned");
    running(mine);
    assertThat(get(theirs, RIVAL).get("state").asString()).isEqualTo("RUNNING");
    HTTP.json(mine + "/cancel", "");
    HTTP.send("POST", theirs + "/cancel", "", RIVAL);
  }

  /** Fails when a job may name a pool that its tenant cannot see. */
  @Test
  void poolForbiddenToTheTenantLooksLikeAMissingOne() {
    made(POOLS, "{name: theirs-only, tenant: pool-rival, selector: {clusters: [none]}}");
    made(POOLS, "{name: for-all, selector: {clusters: [none]}}");
    String jobs = "/api/v1/projects/default/jobs?validateOnly=true";

    Http.Answer foreign = HTTP.yaml(jobs, "{image: x, placement: {pools: [theirs-only]}}");
    Http.Answer own = HTTP.yaml(jobs, "{image: x, placement: {pools: [theirs-only]}}", RIVAL);

    assertThat(foreign.status()).as(foreign.body()).isEqualTo(422);
    assertThat(foreign.json().at("/errors/0/pointer").asString()).isEqualTo("/placement/pools/0");
    assertThat(foreign.json().at("/errors/0/detail").asString())
        .contains("\"theirs-only\"", "Pools: ")
        .contains("for-all");
    assertThat(own.status()).as(own.body()).isEqualTo(201);
    delete("theirs-only");
    delete("for-all");
  }

  /** Fails when spares are not stored, not shown, or take jobs. */
  @Test
  void sparesAreHeldOutOfUseAndCounted() {
    made(POOLS, "{name: careful, selector: {clusters: [pool-b]}, spares: 1 per 2}");
    assertThat(get(POOLS + "/careful").get("spareNodes").asInt()).isEqualTo(1);
    String wide = "{name: wide, image: x, gpu: A30:4, workers: 2, placement: {pools: [careful]}}";
    String job = "/api/v1/jobs/" + made("/api/v1/projects/default/jobs", wide).get("id").asString();

    await()
        .atMost(PATIENCE)
        .until(() -> get(job + "/explanation").toString().contains("holds 4 beside its spares"));
    await()
        .atMost(PATIENCE)
        .until(() ->
            get("/api/v1/capacity").toString().contains("\"spare\":4")
                || get("/api/v1/capacity").toString().contains("\"spare\":4.0"));
    Http.Answer refused =
        HTTP.yaml(POOLS, "{name: odd, selector: {clusters: [none]}, spares: 2 per 1}");
    assertThat(refused.status()).isEqualTo(422);
    assertThat(refused.json().at("/errors/0/pointer").asString()).isEqualTo("/spares");
    HTTP.json(job + "/cancel", "");
    delete("careful");
  }

  @Test
  void poolUpdateRequiresItsETagAndAnEmptyPoolGetsAWarning() {
    String body =
        "{name: growing, selector: {clusters: [pool-b], matchExpressions: [{key: gone, operator:"
            + " Exists}]}}";
    Http.Answer made = HTTP.yaml(POOLS, body, "Idempotency-Key", "growing-1");
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    assertThat(made.json().at("/warnings/0").asString())
        .satisfies(reason("pools.pool-growing-nodes-selector"));
    assertThat(HTTP.yaml(POOLS, body, "Idempotency-Key", "growing-1").json().get("id"))
        .isEqualTo(made.json().get("id"));
    assertThat(HTTP.yaml(POOLS, body).code()).isEqualTo("NAME_IN_USE");
    String path = made.header("Location");
    String patch = "{\"selector\": {\"matchExpressions\": null}}";

    assertThat(HTTP.send("PATCH", path, patch, "Content-Type", "application/json").status())
        .isEqualTo(428);
    Http.Answer tried = patched(path + "?validateOnly=true", patch, "\"1\"");
    assertThat(tried.json().get("nodes").asInt()).as(tried.body()).isEqualTo(2);
    assertThat(get(path).get("nodes").asInt()).isZero();
    assertThat(patched(path, patch, "\"1\"").json().get("gpus").asInt()).isEqualTo(8);
    assertThat(patched(path, patch, "\"1\"").status()).isEqualTo(412);
    assertThat(patched(path, "{\"name\": \"other\"}", "\"2\"").status()).isEqualTo(422);
    JsonNode node = get("/api/v1/nodes?cluster=pool-b").at("/items/0");
    assertThat(node.get("pool").asString()).isEqualTo("growing");
    assertThat(node.get("capacityType").asString()).isEqualTo("RESERVED");
    await()
        .atMost(PATIENCE)
        .until(() ->
            get("/api/v1/capacity")
                .get("items")
                .valueStream()
                .anyMatch(item -> item.path("pool").asString("").equals("growing")));
    JsonNode plan =
        HTTP.yaml("/api/v1/jobs/plan", "{image: x, gpu: A30, placement: {pools: [growing]}}")
            .json();
    assertThat(plan.at("/candidates/0/pool").asString()).isEqualTo("growing");
    assertThat(plan.at("/candidates/0/chosen").asBoolean()).isTrue();
    delete("growing");
    assertThat(HTTP.get(path).status()).isEqualTo(404);
  }

  private static Http.Answer patched(String path, String patch, String tag) {
    return HTTP.send("PATCH", path, patch, "Content-Type", "application/json", "If-Match", tag);
  }

  /** Windows that open in half a year, so that the pool is closed whenever the test runs. */
  @Test
  void poolWithWindowsReportsItsNextOpeningAndStaysClosedUntilThen() {
    int month = LocalDate.now(ZoneOffset.UTC).plusMonths(6).getMonthValue();
    JsonNode made =
        made(
            POOLS,
            """
            {name: rare, selector: {clusters: [pool-b]}, leftoverPolicy: FINISH, windowLead: 30m,
             windows: [{cron: "0 4 1 %d *", duration: 2h, timezone: Europe/Berlin}]}
            """
                .formatted(month));
    assertThat(made.at("/windows/0/duration").asString()).isEqualTo("2h");

    JsonNode next = get(POOLS + "/rare/windows?next=2").get("items");
    JsonNode plan =
        HTTP.yaml("/api/v1/jobs/plan", "{image: x, gpu: A30, placement: {pools: [rare]}}").json();
    Http.Answer evicts = patched(POOLS + "/rare", "{\"leftoverPolicy\": \"EVICT\"}", "\"1\"");
    Http.Answer both =
        patched(POOLS + "/rare", "{\"windows\": null, \"leftoverPolicy\": \"FINISH\"}", "\"2\"");
    Http.Answer always = patched(POOLS + "/rare", "{\"windows\": null}", "\"2\"");
    Http.Answer alone = patched(POOLS + "/rare", "{\"leftoverPolicy\": \"FINISH\"}", "\"3\"");
    delete("rare");

    assertThat(next).hasSize(2);
    assertThat(next.at("/0/timezone").asString()).isEqualTo("Europe/Berlin");
    assertThat(
            Duration.between(
                Instant.parse(next.at("/0/start").asString()),
                Instant.parse(next.at("/0/end").asString())))
        .isEqualTo(Duration.ofHours(2));
    assertThat(plan.toString())
        .contains("WINDOW_CLOSED", "window of pool rare", "opens at", " (in ");
    assertThat(always.json().get("windows")).isEmpty();
    assertThat(always.json().path("leftoverPolicy").isNull()).isTrue();
    assertThat(evicts.json().path("leftoverPolicy").asString()).isEqualTo("EVICT");
    assertThat(evicts.json().path("windowLead").isNull()).as("it goes with FINISH").isTrue();
    assertThat(List.of(both, alone))
        .as("fails when what a patch says is judged without the windows that it leaves")
        .allSatisfy(refused -> {
          assertThat(refused.status()).isEqualTo(422);
          assertThat(refused.body()).contains("without windows");
        });
  }

  @Test
  void implausibleWindowsAreRejected() {
    String bad =
        """
        {name: bad, selector: {clusters: [pool-b]}, windowLead: 1h, windows: [
          {cron: "0 0 30 2 *", duration: 1h, timezone: UTC},
          {cron: "* * * * *", duration: 1m, timezone: UTC},
          {cron: "0 22 * * *", duration: 0s, timezone: Europe/Bonn}]}
        """;

    Http.Answer answer = HTTP.yaml(POOLS, bad);
    Http.Answer open =
        HTTP.yaml(
            POOLS,
            "{name: bad, selector: {clusters: [pool-b]}, windows: [{cron: 0 0 * * *, duration: 1d,"
                + " timezone: UTC}]}");
    Http.Answer many = HTTP.get(POOLS + "/bad/windows?next=101");

    assertThat(answer.status()).isEqualTo(422);
    assertThat(answer.body())
        .contains(
            "/windows/0/cron",
            "never occurs",
            "/windows/1",
            "at most once an hour",
            "/windows/2/duration",
            "/windows/2/timezone",
            "IANA",
            "windowLead needs leftoverPolicy FINISH");
    assertThat(open.body()).contains("together they never close");
    assertThat(many.status()).isEqualTo(400);
  }

  @Test
  void invalidSelectorIsRejected() {
    Http.Answer empty = HTTP.yaml(POOLS, "{name: bad, selector: {}}");
    Http.Answer values =
        HTTP.yaml(
            POOLS,
            "{name: bad, tenant: nobody, selector: {matchExpressions: [{key: a, operator: In},"
                + " {key: b, operator: Near, values: [x]}]}}");
    Http.Answer tenant =
        HTTP.yaml(POOLS, "{name: bad, tenant: nobody, selector: {models: [H100]}}");

    assertThat(empty.json().at("/errors/0/pointer").asString()).isEqualTo("/selector");
    assertThat(values.body()).contains("In needs values.", "/selector/matchExpressions/1/operator");
    assertThat(tenant.json().at("/errors/0/pointer").asString()).isEqualTo("/tenant");
  }
}
