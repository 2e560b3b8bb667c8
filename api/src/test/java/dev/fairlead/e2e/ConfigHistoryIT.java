package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The configuration history that an owner reads. */
class ConfigHistoryIT {
  private static final String PATH = "/api/v1/config/history";
  private static final String[] IN = {"Fairlead-Tenant", "config-history"};
  private static final Http HTTP = RunningFairlead.shared().http();

  @BeforeAll
  static void aTenant() {
    assertThat(HTTP.yaml("/api/v1/tenants", "{name: config-history}").status()).isEqualTo(201);
  }

  private static void patch(String body) {
    Http.Answer set = patch("/api/v1/queues/default", body);
    assertThat(set.status()).as(set.body()).isEqualTo(200);
  }

  private static Http.Answer patch(String path, String body) {
    return HTTP.send(
        "PATCH", path, body, "Content-Type", "application/yaml", "If-Match", "*", IN[0], IN[1]);
  }

  /** Fails when a reason is lost, or a long reason or one with hidden characters is stored. */
  @Test
  void reasonIsStoredWithItsChange() {
    String queue = "/api/v1/queues/default?reason=";
    assertThat(patch(queue + "f%C3%BCr%20Lauf%207", "{weight: 7}").status()).isEqualTo(200);

    JsonNode last = HTTP.get(PATH + "?kind=QUEUE&name=default", IN).json().at("/items/0");
    assertThat(last.get("reason").asString()).isEqualTo("für Lauf 7");
    JsonNode row = HTTP.get("/api/v1/audit?action=updateQuota", IN).json().at("/items/0");
    assertThat(row.at("/detail/reason").asString()).isEqualTo("für Lauf 7");
    for (String bad : new String[] {"x".repeat(501), "%20", "a%0Ab", "a%E2%80%AEb", ""}) {
      assertThat(patch(queue + bad, "{weight: 8}").body()).contains("INVALID_PARAMETER", "reason");
    }
  }

  /** Fails when a change is not stored, has other values, or is shown to another tenant. */
  @Test
  void changeIncludesThePreviousState() {
    patch("{weight: 3}");
    patch("{weight: 5, queue: {userLimits: {running: 4}}}");

    JsonNode items = HTTP.get(PATH + "?kind=QUEUE&name=default", IN).json().get("items");
    assertThat(items.size()).isGreaterThan(2); // it was created with the tenant
    JsonNode last = items.get(0);
    assertThat(last.get("action").asString()).isEqualTo("updateQuota");
    assertThat(last.get("changes").toString())
        .contains(
            "{\"path\":\"/queue/userLimits/running\",\"before\":null,\"after\":\"4\"}",
            "{\"path\":\"/weight\",\"before\":\"3000\",\"after\":\"5000\"}");

    String one = PATH + "/" + last.get("version").asLong();
    JsonNode documents = HTTP.get(one, IN).json();
    assertThat(documents.at("/before/weight").asInt()).isEqualTo(3000);
    assertThat(documents.at("/after/weight").asInt()).isEqualTo(5000);
    assertThat(HTTP.get(one).status()).isEqualTo(404);
    assertThat(HTTP.get(PATH).json().get("items"))
        .noneMatch(item -> item.get("version").equals(last.get("version")));
    JsonNode page = HTTP.get(PATH + "?kind=QUEUE&pageSize=1", IN).json();
    String next = PATH + "?kind=QUEUE&pageSize=1&pageToken=" + page.get("nextPageToken").asString();
    assertThat(HTTP.get(next, IN).json().at("/items/0/version").asLong())
        .isEqualTo(items.get(1).get("version").asLong());
  }

  /** Fails when the history of a new tenant does not start with the objects created with it. */
  @Test
  void historyOfATenantStartsWithItsFirstQueueAndProject() {
    for (String made : new String[] {"QUEUE&name=root", "QUEUE&name=default", "PROJECT"}) {
      JsonNode items = HTTP.get(PATH + "?kind=" + made, IN).json().get("items");
      JsonNode first = items.get(items.size() - 1);
      assertThat(first.get("action").asString()).isEqualTo("createTenant");
      JsonNode documents = HTTP.get(PATH + "/" + first.get("version").asLong(), IN).json();
      assertThat(documents.get("before").isNull()).isTrue();
      assertThat(documents.get("after").isNull()).isFalse();
    }
  }

  private static JsonNode newest(String filter) {
    return HTTP.get(PATH + "?pageSize=1" + filter, IN).json().at("/items/0");
  }

  private static Http.Answer revert(String parameters) {
    long version = newest("").get("version").asLong();
    return HTTP.send("POST", PATH + "/" + version + "/revert" + parameters, null, IN);
  }

  private static String after(String path) {
    return HTTP.get(path, IN).body().replaceAll("\"version\":\\d+", "");
  }

  /** Fails when a kind is not reverted by its command on stored rows. */
  @Test
  void changesCanBeReverted() {
    String routed =
        "{weight: 6, limits: [{flavor: H100/RESERVED, resource: gpu, nominal: 8}], queue: {routing:"
            + " {tiers: [{capacityTypes: [SPOT], after: 5m}]}, userLimits: {running: 2}}}";
    assertThat(
            HTTP.send(
                    "POST",
                    "/api/v1/budgets",
                    "{name: night, gpuHours: 8, period: MONTH, alerts: [50]}",
                    "Content-Type",
                    "application/yaml",
                    IN[0],
                    IN[1])
                .status())
        .isEqualTo(201);
    goesBack("/api/v1/queues/default", routed, "/api/v1/queues/default");
    goesBack("/api/v1/quotas/default", "{weight: 2}", "/api/v1/quotas/default");
    goesBack("/api/v1/budgets/night", "{gpuHours: 3, alerts: [90]}", "/api/v1/budgets/night");
    String limits = "/api/v1/tenants/config-history/limits";
    goesBack(limits, "{activeJobs: 7}", limits);
    String project = "/api/v1/projects/default";
    goesBack(project, "{egress: {mode: STRICT}}", project);
    String tenant = "/api/v1/tenants/config-history";
    goesBack(tenant, "{displayName: History}", tenant);
    String fleet = "/api/v1/fleet-quotas/config-history";
    goesBack(fleet, "{weight: 4}", fleet);
  }

  private static void goesBack(String path, String change, String read) {
    String before = after(read);
    Http.Answer set = patch(path, change);
    assertThat(set.status()).as(path + set.body()).isEqualTo(200);
    String changed = after(read);
    assertThat(changed).isNotEqualTo(before);
    Http.Answer tried = revert("?validateOnly=true");
    assertThat(tried.status()).as(path + tried.body()).isEqualTo(200);
    assertThat(tried.json().get("version").isNull()).isTrue();
    assertThat(after(read)).isEqualTo(changed);

    long version = newest("").get("version").asLong();
    Http.Answer back = revert("?reason=a%20mistake");

    assertThat(back.status()).as(path + back.body()).isEqualTo(200);
    assertThat(after(read)).isEqualTo(before);
    JsonNode made = newest("");
    assertThat(made.get("version").asLong()).isEqualTo(back.json().get("version").asLong());
    assertThat(made.get("reverts").asLong()).isEqualTo(version);
    assertThat(made.get("reason").asString()).isEqualTo("a mistake");
    assertThat(
            HTTP.get("/api/v1/audit?pageSize=1", IN).json().at("/items/0/detail/reverts").asLong())
        .isEqualTo(version);
  }

  /** Fails when a version of another tenant, or an outdated version, is reverted. */
  @Test
  void foreignVersionOrGapIsRejected() {
    patch("{weight: 3}");
    long version = newest("&kind=QUEUE").get("version").asLong();
    String path = PATH + "/" + version + "/revert";
    assertThat(HTTP.send("POST", path, null).status()).isEqualTo(404);
    assertThat(HTTP.send("POST", path + "?force=true", null).status()).isEqualTo(404);
    patch("{weight: 4}");
    long later = newest("&kind=QUEUE").get("version").asLong();

    Http.Answer refused = HTTP.send("POST", path, null, IN);

    assertThat(refused.status()).isEqualTo(412);
    assertThat(refused.body()).contains("VERSION_MISMATCH", later + " (updateQuota");
    assertThat(newest("&kind=QUEUE").get("version").asLong()).isEqualTo(later);
  }

  @Test
  void licenceChangesAreInTheHistory() {
    assertThat(
            HTTP.send(
                    "PUT",
                    "/api/v1/licences/history-solver",
                    "{count: 3}",
                    "Content-Type",
                    "application/yaml",
                    IN[0],
                    IN[1])
                .status())
        .isEqualTo(200);

    assertThat(HTTP.get(PATH + "?kind=LICENCE&name=history-solver", IN).body())
        .contains("putLicence", "\\\"count\\\":3");
  }

  @Test
  void unknownKindIsRejected() {
    assertThat(HTTP.get(PATH + "?kind=SECRET", IN).body())
        .contains("INVALID_PARAMETER", "must be one of BUDGET, CLOUD_IDENTITY");
  }
}
