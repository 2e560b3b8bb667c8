package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.money.price.PriceScope;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.YearMonth;
import java.time.ZoneOffset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Idle cost as a separate line in one month, charged to tenants in the next. */
class IdleCostIT {
  private static final String POLICIES = "/api/v1/idle-cost-policies";
  private static final String FLEET =
      "INSERT INTO use_fact (kind, period, start_ms, cluster, pool, owner, model, capacity, detail,"
          + " amount) SELECT 'FLEET', 'HOUR', %d, '00000000-0000-0000-0000-000000000001', '', NULL, 'H100', 'RESERVED', b, m"
          + " FROM (VALUES ('FREE', 7200000000), ('SICK', 3600000001), ('USED', 1800000000)) AS v"
          + " (b, m)";
  private static final String USE =
      "INSERT INTO use_fact (kind, period, start_ms, tenant, project, queue, used_by, cluster, pool,"
          + " model, capacity, amount) SELECT 'USE', 'HOUR', %d, p.tenant, p.id, p.default_queue, 'ada',"
          + " '00000000-0000-0000-0000-000000000001', '', 'H100', 'RESERVED', 1800000000 FROM"
          + " project p WHERE p.name = 'default'";
  private static final long JUNE = 1_717_200_000_000L;
  private static final long JULY = 1_719_792_000_000L;
  private static final long OCTOBER = 1_727_740_800_000L;

  private static EmbeddedDatabase database;
  private static RunningFairlead fairlead;

  @BeforeAll
  static void start() throws SQLException {
    database = MigratedDatabase.start();
    fairlead = RunningFairlead.startBehind(database, database.url());
    sql(
        PastPrices.insert(
            new PriceScope(null, null, "H100", null), 2_000_000, "2024-01-01T00:00:00Z", null));
    for (long hour : new long[] {JUNE, JULY, OCTOBER}) {
      sql(FLEET.formatted(hour));
      sql(USE.formatted(hour));
    }
    // as if it had been stored in June
    sql(
        "INSERT INTO idle_cost_policy (from_month, idle, out_of_service, weights, recorded_by,"
            + " recorded_at) VALUES ('2024-07', 'BY_USE', 'APART', '{}', 'ops', '2024-06-20')");
  }

  private static void sql(String statement) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Statement work = connection.createStatement()) {
      work.execute(statement);
    }
  }

  @AfterAll
  static void stop() {
    fairlead.close();
  }

  private static JsonNode get(String path) {
    Http.Answer answer = fairlead.http().get("/api/v1/" + path);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer.json();
  }

  /** Fails when the policy of July changes June, or a statement includes separate costs. */
  @Test
  void idleCostAppearsInTheStatementFromThePolicyOn() {
    JsonNode june = get("statements/2024-06");
    JsonNode july = get("statements/2024-07");

    assertThat(june.get("idle")).isEmpty();
    assertThat(june.at("/totals/amounts/0/amount").decimalValue()).isEqualByComparingTo("1");
    assertThat(july.get("idle")).hasSize(1);
    assertThat(july.at("/idle/0/bucket").asString()).isEqualTo("FREE");
    assertThat(july.at("/idle/0/amount").decimalValue()).isEqualByComparingTo("4");
    assertThat(july.at("/totals/amounts/0/amount").decimalValue()).isEqualByComparingTo("5");
    assertThat(
            get("statements?from=2024-07&to=2024-07")
                .at("/items/0/totals/amounts/0/amount")
                .decimalValue())
        .isEqualByComparingTo("5");
    assertThat(fairlead.http().get("/api/v1/statements/2024-07/focus").body())
        .contains(
            ",Adjustment,,\"Share of H100/RESERVED of capacity that no job used: FREE, BY_USE\"",
            ",4.000000,,4.000000,Fairlead,4.000000,");
  }

  /** Fails when the paid and separate parts do not add up to the total. */
  @Test
  void reportContainsUsedAndIdleCost() {
    JsonNode june = get("reports/idle-cost?month=2024-06");
    JsonNode july = get("reports/idle-cost?month=2024-07");

    assertThat(june.at("/totals/0/apart").decimalValue()).isEqualByComparingTo("6.000000");
    assertThat(june.at("/totals/0/distributed").decimalValue()).isZero();
    assertThat(july.at("/totals/0/amount").decimalValue()).isEqualByComparingTo("6.000000");
    assertThat(july.at("/totals/0/distributed").decimalValue()).isEqualByComparingTo("4");
    assertThat(july.at("/totals/0/apart").decimalValue()).isEqualByComparingTo("2.000000");
    assertThat(july.at("/policy/idle").asString()).isEqualTo("BY_USE");
    assertThat(july.at("/lines/1/shares/0/tenant").asString() + july.at("/lines/0/shares"))
        .contains("default");
  }

  /**
   * Fails when a signed statement changes with the hours, or the corrections lack the difference.
   */
  @Test
  void signedStatementRetainsItsIdleCost() throws SQLException {
    Http.Answer signed = fairlead.http().send("POST", "/api/v1/statements/2024-10/sign-off", null);
    assertThat(signed.json().at("/idle/0/amount").decimalValue()).isEqualByComparingTo("4");
    assertThat(get("statements/2024-10/corrections").get("idle")).isEmpty();

    sql("UPDATE use_fact SET amount = 3600000000 WHERE detail = 'FREE' AND start_ms = " + OCTOBER);

    assertThat(fairlead.http().get("/api/v1/statements/2024-10").body()).isEqualTo(signed.body());
    JsonNode corrections = get("statements/2024-10/corrections");
    assertThat(corrections.at("/idle/0/amount").decimalValue()).isEqualByComparingTo("-2");
    assertThat(corrections.at("/totals/amounts/0/amount").decimalValue())
        .isEqualByComparingTo("-2");
  }

  /** Fails when a policy is not stored, has no history, or can be reverted. */
  @Test
  void policyStartsInAFutureMonth() {
    YearMonth next = YearMonth.now(ZoneOffset.UTC).plusMonths(1);
    Http.Answer made =
        fairlead.http().json(POLICIES, "{\"idle\": \"APART\", \"outOfService\": \"BY_QUOTA\"}");

    assertThat(made.status()).as(made.body()).isEqualTo(201);
    assertThat(made.json().get("from").asString()).isEqualTo(next.toString());
    assertThat(made.json().at("/weights/0/weight").decimalValue()).isEqualByComparingTo("1");
    assertThat(get("idle-cost-policies").get("items").size()).isGreaterThanOrEqualTo(2);
    JsonNode history = get("config/history?kind=IDLE_COST").get("items");
    assertThat(history.get(0).toString()).contains("BY_QUOTA", next.toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"from\": \"2024-07\", \"idle\": \"BY_USE\"} | /from | a month cannot change after its start",
        "{\"from\": \"July\", \"idle\": \"BY_USE\"} | /from | must be a month",
        "{\"idle\": \"BY_WEIGHT\"} | /idle | APART, BY_USE, BY_QUOTA",
        "{\"outOfService\": \"APART\"} | /idle | idle is missing"
      })
  void invalidIdleCostPolicyIsRejected(String body, String pointer, String detail) {
    Http.Answer refused = fairlead.http().json(POLICIES, body);

    assertThat(refused.status()).isEqualTo(422);
    assertThat(refused.json().at("/errors/0/pointer").asString()).isEqualTo(pointer);
    assertThat(refused.body()).contains(detail);
  }
}
