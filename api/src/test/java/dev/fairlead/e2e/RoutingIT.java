package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Tiers of a queue: reserved capacity first, on-demand after a wait and up to a price. */
class RoutingIT {
  private static final Http HTTP = RunningFairlead.shared().http();
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String QUEUES = "/api/v1/queues/";

  @BeforeAll
  static void aReservedAndAnOnDemandCluster() {
    cluster("routed-reserved", "RESERVED");
    cluster("routed-on-demand", "ON_DEMAND");
    made(
        "/api/v1/prices",
        "{cluster: routed-on-demand, capacityType: ON_DEMAND, pricePerGpuHour: 3, currency: USD}");
  }

  private static void cluster(String name, String capacity) {
    made(
        "/api/v1/clusters",
        "{name: %s, kind: SIMULATED, capacityType: %s, fleet: [{nodes: 1, gpusPerNode: 8, model: RT1}]}"
            .formatted(name, capacity));
    await()
        .atMost(SOON)
        .until(() -> HTTP.get("/api/v1/clusters/" + name).json().get("nodes").asInt() == 1);
  }

  private static JsonNode made(String path, String body) {
    Http.Answer answer = HTTP.yaml(path, body);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return answer.json();
  }

  private static void queue(String name, String routing) {
    made(
        "/api/v1/quotas",
        "{name: %s, parent: root, queue: {routing: %s}}".formatted(name, routing));
  }

  private static String submit(String name, String queue) {
    return made("/api/v1/projects/default/jobs", spec(name, queue)).get("id").asString();
  }

  private static String spec(String name, String queue) {
    return "{name: %s, image: x, queue: %s, gpu: RT1:8, maxRuntime: 1h, command: [sleep, '600']}"
        .formatted(name, queue);
  }

  /** Its first attempt. */
  private static JsonNode attempt(String id) {
    return HTTP.get("/api/v1/jobs/" + id + "/attempts").json().at("/items/0");
  }

  private static String clusterOf(String id) {
    return attempt(id).at("/cluster").asString("");
  }

  /** Fails when on-demand capacity is used before the wait, or is not used after it. */
  @Tag("long")
  @Test
  void jobWaitsForItsTierAndStartsInIt() {
    queue(
        "patient",
        "{tiers: [{capacityTypes: [RESERVED]}, {capacityTypes: [ON_DEMAND], after: 25s,"
            + " maxPricePerGpuHour: 3.20, currency: USD, order: CHEAPEST}]}");
    String first = submit("routed-first", "patient");
    await().atMost(SOON).until(() -> clusterOf(first).equals("routed-reserved"));
    String second = submit("routed-second", "patient");

    String why = "/api/v1/jobs/" + second + "/explanation";
    JsonNode told =
        await()
            .atMost(SOON)
            .until(() -> HTTP.get(why), answer -> answer.body().contains("ROUTING"))
            .json();
    JsonNode tier =
        told.get("blockers")
            .valueStream()
            .filter(b -> b.get("reason").asString().equals("ROUTING"))
            .findFirst()
            .orElseThrow();
    assertThat(tier.get("message").asString())
        .contains("tier 2 (ON_DEMAND, up to 3.20 USD", "wait of 25s");
    assertThat(tier.at("/numbers/tier").asInt()).isEqualTo(2);
    await().atMost(SOON).until(() -> clusterOf(second).equals("routed-on-demand"));
    Instant submitted =
        Instant.parse(HTTP.get("/api/v1/jobs/" + second).json().get("createdAt").asString());
    Instant placed = Instant.parse(attempt(second).get("createdAt").asString());
    assertThat(Duration.between(submitted, placed)).isGreaterThanOrEqualTo(Duration.ofSeconds(25));
    assertThat(tier(first)).isEqualTo("{\"number\":1,\"cause\":\"POLICY\",\"after\":\"0s\"}");
    assertThat(tier(second)).isEqualTo("{\"number\":2,\"cause\":\"WAIT_OVER\",\"after\":\"25s\"}");
  }

  private static String tier(String id) {
    return HTTP.get("/api/v1/jobs/" + id + "/decisions?kind=PLACED")
        .json()
        .at("/items/0/placed/tier")
        .toString();
  }

  @Test
  void planNamesTheTierOfEachCandidate() {
    queue(
        "planned",
        "{tiers: [{clusters: [routed-reserved]}, {clusters: [routed-on-demand], after: 10m}]}");

    JsonNode plan = HTTP.yaml("/api/v1/jobs/plan", spec("routed-plan", "planned")).json();

    assertThat(plan.at("/candidates/0/cluster").asString()).isEqualTo("routed-reserved");
    assertThat(plan.at("/candidates/0/tier").asInt()).isEqualTo(1);
    assertThat(plan.at("/candidates/1/tier").asInt()).isEqualTo(2);
    assertThat(plan.at("/candidates/1/blockers").toString())
        .contains("tier 2 (any capacity, cluster routed-on-demand)", "wait of 10m");
  }

  /** Fails when the cap of the job is lost, or a job starts above it. */
  @Test
  void jobDoesNotStartAboveItsPriceCap() {
    cluster("routed-capped", "ON_DEMAND");
    String price =
        made(
                "/api/v1/prices",
                "{cluster: routed-capped, capacityType: ON_DEMAND, pricePerGpuHour: 4.20, currency:"
                    + " USD}")
            .get("id")
            .asString();
    queue("capped", "{tiers: [{clusters: [routed-capped]}]}");
    String capped =
        spec("routed-capped", "capped")
            .replace("{name", "{placement: {maxPricePerGpuHour: 3, currency: USD}, name");

    JsonNode plan = HTTP.yaml("/api/v1/jobs/plan", capped).json();
    String id = made("/api/v1/projects/default/jobs", capped).get("id").asString();

    String why =
        "RT1/ON_DEMAND on routed-capped costs 4.20 USD per GPU-hour; the job pays up to 3.00 USD";
    assertThat(plan.at("/candidates/0/cluster").asString()).isEqualTo("routed-capped");
    assertThat(plan.at("/candidates/0/blockers/0/message").asString()).isEqualTo(why);
    assertThat(plan.at("/explanation/reason").asString()).isEqualTo("NEVER_FITS");
    String explanation = "/api/v1/jobs/" + id + "/explanation";
    await().atMost(SOON).until(() -> HTTP.get(explanation).body().contains(why));
    assertThat(HTTP.get("/api/v1/jobs/" + id).json().at("/spec/placement").toString())
        .contains("\"maxPricePerGpuHour\":3,\"currency\":\"USD\"");

    made(
        "/api/v1/prices",
        "{cluster: routed-capped, capacityType: ON_DEMAND, pricePerGpuHour: 2.90, currency: USD, replaces: %s}"
            .formatted(price));
    await().atMost(SOON).until(() -> clusterOf(id).equals("routed-capped"));
  }

  private static Http.Answer runtime(String id, @Nullable String longest) {
    return HTTP.send(
        "PATCH",
        "/api/v1/jobs/" + id,
        "{\"maxRuntime\": %s}".formatted(longest == null ? null : '"' + longest + '"'),
        "Content-Type",
        "application/merge-patch+json");
  }

  /** Fails when the cap is not passed on, or the plan omits too expensive candidates. */
  @Test
  void jobDoesNotStartAboveItsMaxCost() {
    cluster("routed-costs", "ON_DEMAND");
    made(
        "/api/v1/prices",
        "{cluster: routed-costs, capacityType: ON_DEMAND, pricePerGpuHour: 0.64375, currency:"
            + " USD}");
    queue("costs", "{tiers: [{clusters: [routed-costs]}]}");
    String capped =
        spec("routed-costs", "costs")
            .replace("maxRuntime: 1h", "maxRuntime: 8h, placement: {maxCost: 30, currency: USD}");

    JsonNode plan = HTTP.yaml("/api/v1/jobs/plan", capped).json();
    String id = made("/api/v1/projects/default/jobs", capped).get("id").asString();
    Http.Answer unlimited = runtime(id, null);

    String why =
        "RT1/ON_DEMAND on routed-costs costs 41.20 USD by maxRuntime 8h; maxCost is 30.00 USD";
    assertThat(plan.at("/candidates/0/cost/byMaxRuntime").asDouble()).isEqualTo(41.2);
    assertThat(plan.at("/candidates/0/blockers/0/message").asString()).isEqualTo(why);
    assertThat(plan.at("/explanation/reason").asString()).isEqualTo("NEVER_FITS");
    assertThat(HTTP.get("/api/v1/jobs/" + id).json().at("/spec/placement").toString())
        .contains("\"maxCost\":30,\"currency\":\"USD\"");
    assertThat(unlimited.status()).isEqualTo(422);
    assertThat(unlimited.body()).contains("maxCost needs a maxRuntime");
    String explanation = "/api/v1/jobs/" + id + "/explanation";
    await().atMost(SOON).until(() -> HTTP.get(explanation).body().contains(why));

    assertThat(runtime(id, "5h").status()).isEqualTo(200);
    await()
        .atMost(SOON)
        .until(() ->
            HTTP.get("/api/v1/jobs/" + id).json().path("state").asString("").equals("RUNNING"));
    Http.Answer within = runtime(id, "330m");
    assertThat(within.status()).as(within.body()).isEqualTo(200);
    Http.Answer longer = runtime(id, "6h");
    assertThat(longer.status()).isEqualTo(422);
    assertThat(longer.body()).contains("30.90 USD", "maxCost of 30.00 USD");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{maxPricePerGpuHour: 3} | /placement/maxPricePerGpuHour",
        "{maxPricePerGpuHour: -3, currency: USD} | /placement/maxPricePerGpuHour",
        "{currency: USD} | /placement/currency",
        "{maxCost: 30} | /placement/maxCost",
        "{maxCost: 30, currency: USD} | /placement/maxCost",
      })
  void invalidCapIsRejected(String placement, String pointer) {
    Http.Answer refused =
        HTTP.yaml(
            "/api/v1/projects/default/jobs", "{image: x, placement: %s}".formatted(placement));

    assertThat(refused.status()).as(refused.body()).isIn(400, 422);
    assertThat(refused.json().at("/errors/0/pointer").asString()).isEqualTo(pointer);
  }

  @Test
  void aPolicyIsReadBackChangedAndRemoved() {
    queue("changed", "{tiers: [{capacityTypes: [SPOT], pools: [a], after: 5m}]}");
    JsonNode read = HTTP.get(QUEUES + "changed").json();
    assertThat(read.at("/queue/routing/tiers/0").toString())
        .isEqualTo(
            "{\"capacityTypes\":[\"SPOT\"],\"pools\":[\"a\"],\"clusters\":[],\"after\":\"5m\","
                + "\"maxPricePerGpuHour\":null,\"currency\":null,\"order\":\"FIXED\"}");

    assertThat(patch("{\"queue\": {\"state\": \"HELD\"}}").at("/queue/routing/tiers")).hasSize(1);
    assertThat(patch("{\"queue\": {\"routing\": null}}").at("/queue/routing").isNull()).isTrue();
  }

  private static JsonNode patch(String body) {
    Http.Answer answer =
        HTTP.send(
            "PATCH",
            QUEUES + "changed",
            body,
            "Content-Type",
            "application/merge-patch+json",
            "If-Match",
            HTTP.get(QUEUES + "changed").header("ETag"));
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer.json();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{after: -1m} | /queue/routing/tiers/0/after",
        "{capacityTypes: [FREE]} | /queue/routing/tiers/0/capacityTypes/0",
        "{pools: [Not-a-label]} | /queue/routing/tiers/0/pools/0",
        "{maxPricePerGpuHour: 3} | /queue/routing/tiers/0/maxPricePerGpuHour",
        "{maxPricePerGpuHour: -3, currency: USD} | /queue/routing/tiers/0/maxPricePerGpuHour",
        "{currency: USD} | /queue/routing/tiers/0/currency",
        "{maxPricePerGpuHour: 3, currency: dollars} | /queue/routing/tiers/0/currency",
        "{order: DEAREST} | /queue/routing/tiers/0/order",
        "{after: 10m}, {after: 5m} | /queue/routing/tiers/1/after",
        "{wait: 10m} | /queue/routing/tiers/0/wait",
      })
  void invalidPolicyIsRejected(String tiers, String pointer) {
    Http.Answer refused =
        HTTP.yaml(
            "/api/v1/quotas",
            "{name: refused, parent: root, queue: {routing: {tiers: [%s]}}}".formatted(tiers));

    assertThat(refused.status()).as(refused.body()).isIn(400, 422);
    assertThat(refused.json().at("/errors/0/pointer").asString()).isEqualTo(pointer);
  }
}
