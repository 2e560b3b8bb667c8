package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Quota by time of day, set by an administrator, and its effect on jobs. */
class QuotaWindowsIT {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String OPEN = "cron: '0 * * * *', duration: 1h, timezone: UTC";
  private static final String JOBS = "/api/v1/projects/default/jobs";
  private static final Http HTTP = RunningFairlead.shared().http();

  @BeforeAll
  static void aCluster() {
    made(
        "/api/v1/clusters",
        "{name: timed, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: TW1}]}");
    await()
        .atMost(SOON)
        .until(() -> HTTP.get("/api/v1/clusters/timed").json().get("nodes").asInt() == 1);
    // A submit is checked against the fleet as it was up to two seconds ago.
    await()
        .atMost(SOON)
        .until(() -> HTTP.yaml(JOBS + "?validateOnly=true", "{image: x, gpu: TW1}").status() < 300);
  }

  private static JsonNode made(String path, String body) {
    Http.Answer answer = HTTP.yaml(path, body);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return answer.json();
  }

  private static String queue(String name, String window) {
    return "{name: %s, queue: {}, limits: [{flavor: TW1/RESERVED, resource: gpu, nominal: 1, borrowingLimit: 0, windows: [%s]}]}"
        .formatted(name, window);
  }

  /** A window that is open for an hour half a year from now. */
  private static String closed() {
    int month = Instant.now().atZone(ZoneOffset.UTC).getMonthValue();
    return "cron: '0 0 1 %d *', duration: 1h, timezone: UTC".formatted((month + 5) % 12 + 1);
  }

  private static String submit(String name, String queue) {
    String spec =
        "{name: %s, image: x, queue: %s, gpu: TW1:2, annotations: {sim.fairlead.dev/run-for: 1h}}"
            .formatted(name, queue);
    return "/api/v1/jobs/" + made(JOBS, spec).get("id").asString();
  }

  /** Fails when plan, write or explanation uses the limits outside windows. */
  @Test
  void aJobStartsByTheQuotaOfTheOpenWindow() {
    made("/api/v1/quotas", queue("timed-open", "{%s, nominal: 2}".formatted(OPEN)));

    String job = submit("by-window", "timed-open");

    await()
        .atMost(SOON)
        .until(() -> HTTP.get(job).json().path("state").asString("").equals("RUNNING"));
    JsonNode quota = HTTP.get("/api/v1/quotas/timed-open").json();
    assertThat(quota.at("/limits/0/nominal").asInt()).isEqualTo(1);
    assertThat(quota.at("/limits/0/windows/0/nominal").asInt()).isEqualTo(2);
    assertThat(quota.at("/usage").toString()).contains("\"used\":2,", "\"share\":1.0}");
    assertThat(HTTP.send("POST", job + "/cancel", null).status()).isLessThan(300);
  }

  /** Fails when a closed window counts, or the next one is not reported. */
  @Test
  void jobWaitsForTheWindowAndReportsItsOpening() {
    made("/api/v1/quotas", queue("timed-closed", "{%s, nominal: 2}".formatted(closed())));

    String job = submit("for-window", "timed-closed");

    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(HTTP.get(job + "/explanation").body())
                .contains("\"QUOTA\"", "for 1h its limit is 2", "opensAtEpochSeconds"));
    JsonNode next = HTTP.get("/api/v1/quotas/timed-closed/windows?next=3").json().get("items");
    assertThat(next.valueStream().map(each -> each.get("nominal").asInt()))
        .containsExactly(1, 2, 1);
    assertThat(next.get(1).get("end").asString()).isEqualTo(next.get(2).get("start").asString());
    HTTP.send("POST", job + "/cancel", null);
  }

  /** Fails when a change of windows is missing in the history, or cannot be reverted. */
  @Test
  void historyContainsWindowsAndRevertsThem() {
    made("/api/v1/quotas", queue("timed-kept", "{%s, nominal: 2}".formatted(closed())));
    String path = "/api/v1/quotas/timed-kept";
    Http.Answer set =
        HTTP.send(
            "PATCH",
            path,
            "{limits: [{flavor: TW1/RESERVED, resource: gpu, nominal: 1}]}",
            "Content-Type",
            "application/yaml",
            "If-Match",
            "*");
    assertThat(set.status()).as(set.body()).isEqualTo(200);
    JsonNode history =
        HTTP.get("/api/v1/config/history?kind=QUEUE&name=timed-kept").json().get("items");
    assertThat(history.toString()).contains("windows");

    Http.Answer reverted =
        HTTP.send(
            "POST",
            "/api/v1/config/history/%d/revert".formatted(history.get(0).get("version").asLong()),
            null);

    assertThat(reverted.status()).as(reverted.body()).isLessThan(300);
    assertThat(HTTP.get(path).json().at("/limits/0/windows/0/nominal").asInt()).isEqualTo(2);
  }

  /** Fails when the setting for work at the close is lost, or refused too late. */
  @Test
  void closeActionOfAWindowIsStoredAndValidated() {
    String limit =
        "{name: %s, queue: {}, limits: [{flavor: TW1/RESERVED, resource: gpu, nominal: 1%s}]}";
    String windows = ", windows: [{%s, nominal: 2}]".formatted(OPEN);
    made(
        "/api/v1/quotas",
        limit.formatted("timed-evict", windows + ", leftoverPolicy: EVICT, windowLead: 15m"));
    JsonNode kept = HTTP.get("/api/v1/quotas/timed-evict").json().at("/limits/0");
    assertThat(kept.get("leftoverPolicy").asString()).isEqualTo("EVICT");
    assertThat(kept.get("windowLead").asString()).isEqualTo("15m");

    assertThat(refused(limit.formatted("timed-bad", ", leftoverPolicy: EVICT")))
        .contains("/limits/0/leftoverPolicy", "without windows");
    assertThat(refused(limit.formatted("timed-bad", windows + ", windowLead: 1h")))
        .contains("/limits/0/windowLead", "needs leftoverPolicy EVICT");
    assertThat(refused(limit.formatted("timed-bad", windows + ", leftoverPolicy: EXTEND_UP_TO")))
        .contains("must be one of EVICT, FINISH");
  }

  private static String refused(String body) {
    Http.Answer answer = HTTP.yaml("/api/v1/quotas", body);
    assertThat(answer.status()).as(answer.body()).isEqualTo(422);
    return answer.body();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cron: '0 0 30 2 *', duration: 1h, timezone: UTC, nominal: 2 | never occurs",
        "cron: '* * * * *', duration: 1h, timezone: UTC, nominal: 2 | at most once an hour",
        "cron: '0 22 * * *', duration: 25h, timezone: UTC, nominal: 2 | before its duration",
        "cron: '0 22 * * *', duration: 8h, timezone: Mars/Base, nominal: 2 | not an IANA time zone",
        "cron: '0 22 * * *', duration: 8h, timezone: UTC, nominal: -2 | a number such as 64",
        "cron: '0 22 * * *', duration: 8h, timezone: UTC | changes nothing",
        "cron: '0 22 * * *', duration: 8h, timezone: UTC, nominal: 2, gpus: 2 | gpus",
      })
  void invalidWindowIsRejected(String window, String why) {
    Http.Answer answer = HTTP.yaml("/api/v1/quotas", queue("timed-bad", "{" + window + "}"));

    assertThat(answer.status()).as(answer.body()).isEqualTo(422);
    assertThat(answer.body()).contains(why, "/limits/0/windows/0");
  }

  @Test
  void requestForMoreChangesThanTheMaximumIsRejected() {
    assertThat(HTTP.get("/api/v1/quotas/default/windows?next=101").status()).isEqualTo(400);
  }
}
