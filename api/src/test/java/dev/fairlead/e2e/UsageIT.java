package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.money.usage.HourBook;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Usage reports, requested by a caller. */
class UsageIT {
  private static final long HOUR = 3_600_000;
  private static final String AFTER_THE_OPEN_HOUR =
      "SELECT floor(extract(epoch FROM now()) * 1000)::bigint - open_ms - 3600000 FROM usage_watermark";
  private static final String PLANTED =
      """
      INSERT INTO use_fact (kind, period, start_ms, tenant, project, queue, used_by, pool, model, capacity, amount, cluster)
      SELECT 'USE', 'HOUR', hour, p.tenant, p.id, p.default_queue, who, '', 'H100', 'RESERVED', 1800000000, p.id
      FROM project p, generate_series(1893456000000, 1893542399999, 3600000) AS hour, unnest(ARRAY['ada', 'bob']) AS who
      WHERE p.name = 'default'
      """;

  private static EmbeddedDatabase database;
  private static RunningFairlead fairlead;

  @BeforeAll
  static void start() throws SQLException {
    database = MigratedDatabase.start();
    fairlead = RunningFairlead.startBehind(database, database.url());
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Statement statement = connection.createStatement()) {
      statement.execute(PLANTED);
    }
  }

  @AfterAll
  static void stop() {
    fairlead.close();
  }

  private static JsonNode rows(String query) {
    Http.Answer answer =
        fairlead
            .http()
            .get("/api/v1/usage?from=2030-01-01T00:00:00Z&to=2030-02-01T00:00:00Z" + query);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer.json().get("items");
  }

  /** Fails when hours are lost, counted twice, or cut at another zone's midnight. */
  @Test
  void hoursAddUpToDaysAndMonths() {
    assertThat(rows("&by=user").size()).isEqualTo(2);
    JsonNode month = rows("").get(0);
    assertThat(month.get("from").asString()).isEqualTo("2030-01-01T00:00:00Z");
    assertThat(month.get("group").get("project").asString()).isEqualTo("default");
    assertThat(month.get("gpuHours").asDouble()).isEqualTo(24.0);
    assertThat(month.get("milliGpuMillis").asLong()).isEqualTo(86_400_000_000L);
    assertThat(rows("&period=DAY").size()).isEqualTo(1);
    assertThat(rows("&period=HOUR&user=ada").size()).isEqualTo(24);
  }

  private static long sql(String statement) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Statement work = connection.createStatement()) {
      if (!work.execute(statement)) {
        return work.getUpdateCount();
      }
      work.getResultSet().next();
      return work.getResultSet().getLong(1);
    }
  }

  private static JsonNode rebuilt(long hour, String query) {
    Http.Answer answer =
        fairlead
            .http()
            .send(
                "POST",
                "/api/v1/usage/rebuild?from=%s&to=%s%s"
                    .formatted(
                        Instant.ofEpochMilli(hour), Instant.ofEpochMilli(hour + 2 * HOUR), query),
                null);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer.json();
  }

  /**
   * Fails when a wrong, missing or superfluous sum is not detected, when a comparison writes, or
   * when the open hour is mistaken for a closed hour.
   */
  @Test
  void aClosedHourIsComparedAndRewrittenFromItsIntervals() throws SQLException {
    // the copied database may be an hour old, and the service closes that hour soon after its start
    await()
        .atMost(Duration.ofSeconds(150))
        .until(() -> sql(AFTER_THE_OPEN_HOUR) < HourBook.SETTLING_MILLIS - 30_000);
    long hour = sql("SELECT open_ms FROM usage_watermark") - HOUR;
    String owner = "p.tenant, p.id, p.default_queue, 'ada'";
    sql(
        "INSERT INTO usage_interval SELECT gen_random_uuid(), 'worker', 0, %s, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), NULL, 'L40', 'SPOT', '{0}', '{500}', '{0}', %d, %d FROM project p WHERE p.name = 'default'"
            .formatted(owner, hour - 1000, hour + 2000));
    sql(
        "INSERT INTO use_fact (kind, period, start_ms, tenant, project, queue, used_by, pool, model, capacity, amount, cluster)"
            + " SELECT 'USE', 'HOUR', %d, %s, '', 'GONE', 'SPOT', 7, p.id FROM project p WHERE p.name = 'default'"
                .formatted(hour, owner));

    JsonNode compared = rebuilt(hour, "&validateOnly=true");
    assertThat(compared.get("hours").asInt()).isEqualTo(1);
    assertThat(compared.get("differences").asInt()).isEqualTo(5);
    JsonNode gone = compared.get("items").get(0);
    assertThat(gone.get("key").get("model").asString()).isEqualTo("GONE");
    assertThat(gone.get("storedMilliGpuMillis").asLong()).isEqualTo(7);
    assertThat(gone.get("reckonedMilliGpuMillis").asLong()).isZero();

    assertThat(rebuilt(hour, "").get("differences").asInt()).isEqualTo(5);
    assertThat(rebuilt(hour, "&validateOnly=true").get("differences").asInt()).isZero();
    assertThat(sql("SELECT sum(amount) FROM use_fact WHERE kind = 'USE' AND start_ms = " + hour))
        .isEqualTo(500L * 2000);
    assertThat(sql("SELECT sum(amount) FROM use_fact WHERE kind = 'FLEET' AND start_ms = " + hour))
        .isEqualTo(1000L * 2000);
  }

  /**
   * Fails when a request can read without a bound, or recalculate hours whose intervals have been
   * deleted.
   */
  @Test
  void requestedSpanIsBounded() {
    Http http = fairlead.http();
    String report = "/api/v1/usage?period=HOUR&from=2001-01-01T00:00:00Z";
    assertThat(http.get(report).status()).isEqualTo(422);
    assertThat(http.get(report).body()).contains("at most 1160 days");
    String rebuild = "/api/v1/usage/rebuild?validateOnly=true&from=";
    assertThat(http.send("POST", rebuild + "26h", null).body()).contains("24 hours at a time");
    assertThat(http.send("POST", rebuild + "402d&to=9634h", null).body())
        .contains("retained for 400 days");
  }

  private static Http.Answer name(String keys) {
    String body = "{\"keys\": " + keys + "}";
    return fairlead.http().send("PUT", "/api/v1/usage/labels", body, "Content-Type", Http.YAML);
  }

  /**
   * Fails when the labels of an hour that has started change, or the history does not record the
   * change.
   */
  @Test
  void newUsageLabelsApplyFromTheNextHour() throws SQLException {
    Instant hour = Instant.ofEpochMilli(System.currentTimeMillis() / HOUR * HOUR);
    Http.Answer named = name("[\"paper\", \"example.com/grant\"]");
    assertThat(named.status()).as(named.body()).isEqualTo(200);
    assertThat(Instant.parse(named.json().get("from").asString())).isAfter(hour);
    assertThat(fairlead.http().get("/api/v1/usage/labels").json().get("items").get(0))
        .isEqualTo(named.json());
    JsonNode change =
        fairlead.http().get("/api/v1/config/history?kind=USAGE_LABELS").json().get("items").get(0);
    assertThat(change.toString()).contains("nameUsageLabels", "example.com/grant");

    sql(
        "INSERT INTO use_fact (kind, period, start_ms, tenant, project, queue, used_by, pool, model,"
            + " capacity, labels, amount) SELECT 'LABELLED', period, start_ms, tenant, project,"
            + " queue, used_by, pool, model, capacity, '{\"paper\": \"x\"}', amount / 4 FROM use_fact"
            + " WHERE kind = 'USE' AND start_ms >= 1893456000000 AND used_by = 'ada'");
    JsonNode rows = rows("&by=user,label:paper");
    assertThat(rows.size()).isEqualTo(3);
    assertThat(rows.get(0).get("group").get("label:paper").asString()).isEmpty();
    assertThat(rows.get(0).get("gpuHours").asDouble()).isEqualTo(9.0);
    assertThat(rows.get(1).get("group").get("label:paper").asString()).isEqualTo("x");
    assertThat(rows.get(1).get("gpuHours").asDouble()).isEqualTo(3.0);
    assertThat(rows.get(2).get("gpuHours").asDouble()).isEqualTo(12.0);

    String revert = "/api/v1/config/history/" + change.get("version").asLong() + "/revert";
    Http.Answer reverted = fairlead.http().send("POST", revert, null);
    assertThat(reverted.status()).as(reverted.body()).isEqualTo(200);
    JsonNode newest = fairlead.http().get("/api/v1/usage/labels").json().get("items").get(0);
    assertThat(newest.get("keys")).isEmpty();
  }

  /** Fails when an unknown label, or one label too many, is accepted or grouped by. */
  @Test
  void invalidLabelIsRejected() {
    assertThat(name("[\"a\", \"b\", \"c\", \"d\"]").body())
        .contains("/keys", "at most 3 are allowed");
    assertThat(name("[\"fits\", \"not a key\"]").body()).contains("/keys/1", "label key");
    assertThat(name("[\"fairlead.dev/job\"]").body()).contains("/keys/0", "reserved");
    assertThat(name("[\"a\", \"a\"]").body()).contains("/keys/1", "is named twice");
    assertThat(name("[\"a\", \"a\", \"a\", \"a\"]").body()).contains("at most 3 are allowed");
    assertThat(name("\"grant\"").status()).isEqualTo(422);
    Http http = fairlead.http();
    assertThat(http.get("/api/v1/usage?by=label:never").body())
        .contains("not grouped by label \\\"never\\\"", "PUT /api/v1/usage/labels");
    assertThat(http.get("/api/v1/usage?by=label:a,label:b,label:c,label:d").body())
        .contains("at most 3 labels");
  }

  /** Fails when waits of an hour are lost, or causes are not distinguished. */
  @Test
  void waitsAreReportedByCause() throws SQLException {
    sql(
        "INSERT INTO use_fact (kind, period, start_ms, tenant, project, queue, detail, amount)"
            + " SELECT 'WAIT', 'HOUR', hour, p.tenant, p.id, p.default_queue, cause, 1800000 FROM"
            + " project p, generate_series(1893456000000, 1893542399999, 3600000) AS hour,"
            + " unnest(ARRAY['QUOTA', 'CAPACITY']) AS cause WHERE p.name = 'default'");
    String waits = "/api/v1/usage/waits?from=2030-01-01T00:00:00Z&to=2030-02-01T00:00:00Z";
    Http http = fairlead.http();
    JsonNode rows = http.get(waits).json().get("items");
    assertThat(rows.size()).isEqualTo(2);
    assertThat(rows.get(0).get("group").get("cause").asString()).isEqualTo("CAPACITY");
    assertThat(rows.get(0).get("jobHours").asDouble()).isEqualTo(12.0);
    assertThat(rows.get(0).get("preliminary").asBoolean()).isTrue();
    rows = http.get(waits + "&by=project,queue&period=HOUR").json().get("items");
    assertThat(rows.size()).isEqualTo(24);
    assertThat(rows.get(0).get("jobMillis").asLong()).isEqualTo(3_600_000);
    assertThat(http.get(waits + "&by=user").body()).contains("project, queue, cause");
  }

  /** Fails when a report with an early end is empty because it starts 31 days before now. */
  @Test
  void reportStartMustPrecedeItsEnd() throws SQLException {
    sql(
        "INSERT INTO use_fact (kind, period, start_ms, tenant, project, queue, detail, amount)"
            + " SELECT 'WAIT', 'HOUR', 1577836800000, tenant, id, default_queue, 'QUOTA', 3600000"
            + " FROM project WHERE name = 'default'");
    Http http = fairlead.http();
    JsonNode rows =
        http.get("/api/v1/usage/waits?to=2020-01-31T00:00:00Z&by=project").json().get("items");
    assertThat(rows.size()).isEqualTo(1);
    assertThat(rows.get(0).get("jobHours").asDouble()).isEqualTo(1.0);
    String wrong = "?from=2020-02-01T00:00:00Z&to=2020-01-31T00:00:00Z";
    for (String report : List.of("usage", "usage/waits", "reports/spill")) {
      Http.Answer answer = http.get("/api/v1/" + report + wrong);
      assertThat(answer.status()).as(report).isEqualTo(400);
      assertThat(answer.body()).contains("parameter from", "must not be after");
    }
    assertThat(http.get("/api/v1/decisions?since=1h&until=2h").body()).contains("parameter since");
  }

  /** Fails when an invalid query gets the answer of another query. */
  @Test
  void invalidQueryIsRejected() {
    assertThat(fairlead.http().get("/api/v1/usage?period=YEAR").body())
        .contains("HOUR, DAY, MONTH");
    assertThat(fairlead.http().get("/api/v1/usage?by=gpu").body())
        .contains("project, queue, user, pool, model, capacity");
    assertThat(fairlead.http().get("/api/v1/usage?project=none").status()).isEqualTo(404);
    assertThat(fairlead.http().get("/api/v1/usage?from=soon").status()).isEqualTo(400);
  }
}
