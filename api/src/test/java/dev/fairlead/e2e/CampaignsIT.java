package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Maintenance of many nodes over HTTP, on the real database. */
class CampaignsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String CAMPAIGNS = "/api/v1/campaigns";
  private static final Http HTTP = RunningFairlead.shared().http();

  @BeforeAll
  static void aCluster() {
    HTTP.yaml(
        "/api/v1/clusters",
        "{name: upkeep, kind: SIMULATED, fleet: [{nodes: 2, gpusPerNode: 8, model: H100}]}");
    await()
        .atMost(PATIENCE)
        .until(() -> HTTP.get("/api/v1/nodes?cluster=upkeep").json().get("items").size() == 2);
  }

  private static String begun() {
    Http.Answer made =
        HTTP.yaml(
            CAMPAIGNS,
            "{name: kernel, reason: new kernel, cluster: upkeep, atOnce: 1, soak: 1s, drainWithin:"
                + " 1h}");
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    assertThat(made.json().at("/nodes/pending").asInt()).isEqualTo(2);
    return made.header("Location");
  }

  private static JsonNode node(String campaign, int index) {
    return HTTP.get(campaign + "/nodes").json().get("items").get(index);
  }

  private static void waitFor(String campaign, int index, String state) {
    await()
        .atMost(PATIENCE)
        .until(() -> node(campaign, index).get("state").asString().equals(state));
  }

  private static String order(String campaign, String order) {
    Http.Answer answer =
        HTTP.yaml(campaign + "/orders", "{order: %s, reason: so}".formatted(order));
    return answer.status() == 200 ? answer.json().path("state").asString("") : answer.code();
  }

  @Test
  void campaignProcessesNodesOneByOneAndEnds() {
    String campaign = begun();
    assertThat(HTTP.get(CAMPAIGNS).json().at("/items/0/name").asString()).isEqualTo("kernel");
    for (int i = 0; i < 2; i++) {
      waitFor(campaign, i, "READY");
      String name = node(campaign, i).get("name").asString();
      assertThat(HTTP.get("/api/v1/nodes/" + name).json().path("state").asString(""))
          .isEqualTo("CORDONED");
      String done = campaign + "/nodes/" + name + "/done";
      assertThat(HTTP.json(done + "?validateOnly=true", "").status()).isEqualTo(200);
      assertThat(HTTP.json(done, "").json().path("state").asString("")).isEqualTo("SOAKING");
      assertThat(HTTP.json(done, "").code()).isEqualTo("ILLEGAL_STATE");
      waitFor(campaign, i, "DONE");
    }
    await()
        .atMost(PATIENCE)
        .until(() -> HTTP.get(campaign).json().path("state").asString("").equals("DONE"));
    assertThat(order(campaign, "PAUSE")).isEqualTo("ILLEGAL_STATE");
    String page = HTTP.get(campaign + "/nodes?pageSize=1").header("Link");
    assertThat(HTTP.get(page.replaceAll("^<|>.*$", "")).json().get("items")).hasSize(1);
  }

  @Tag("long")
  @Test
  void abortedCampaignReleasesItsNodes() {
    String campaign = begun();
    waitFor(campaign, 0, "READY");
    assertThat(order(campaign, "PAUSE")).isEqualTo("PAUSED");
    assertThat(order(campaign, "ABORT")).isEqualTo("ABORTED");
    waitFor(campaign, 0, "SKIPPED");
    String nodes = "/api/v1/nodes?cluster=upkeep&nodeState=ACTIVE";
    await().atMost(PATIENCE).until(() -> HTTP.get(nodes).json().get("items").size() == 2);
  }

  @Test
  void invalidCampaignIsRejected() {
    assertThat(refused("{name: a, reason: b, cluster: upkeep}")).contains("percentAtOnce");
    assertThat(refused("{name: a, reason: b, atOnce: 1}")).contains("set cluster");
    assertThat(refused("{name: a, reason: b, cluster: nowhere, atOnce: 1}")).contains("nowhere");
    assertThat(refused("{name: a, reason: b, nodes: [nobody], atOnce: 1}")).contains("nobody");
    assertThat(refused("{name: a, reason: b, cluster: upkeep, atOnce: 501}")).contains("/atOnce");
    assertThat(refused("{name: a, reason: b, cluster: upkeep, atOnc: 1}")).contains("atOnce");
    assertThat(HTTP.get(CAMPAIGNS + "/cmp_01m7vxn2c4e0mtrw2g5kqy8v3f").status()).isEqualTo(404);
    assertThat(HTTP.get(CAMPAIGNS + "/kernel").status()).isEqualTo(404);
  }

  private static String refused(String body) {
    Http.Answer answer = HTTP.yaml(CAMPAIGNS, body);
    assertThat(answer.status()).as(answer.body()).isEqualTo(422);
    return answer.body();
  }
}
