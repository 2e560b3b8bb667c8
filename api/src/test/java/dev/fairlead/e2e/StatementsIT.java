package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.money.price.PriceScope;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Monthly statements, as requested by owners and accountants. */
class StatementsIT {
  private static final String PATH = "/api/v1/statements/";
  private static final PriceScope H100 =
      new PriceScope(new ClusterId(new UUID(0, 1)), null, "H100", null);
  private static final String HOURS =
      """
      INSERT INTO use_fact (kind, period, start_ms, tenant, project, queue, used_by, cluster, pool, model, capacity, amount)
      SELECT 'USE', 'HOUR', hour, p.tenant, p.id, p.default_queue, who, c, '', 'H100', 'RESERVED', 1800000001
      FROM project p, generate_series(%d, %d, 3600000) AS hour, unnest(ARRAY['ada', 'bob']) AS who,
           unnest(ARRAY['00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002']::uuid[]) AS c
      WHERE p.name = 'default'
      """;

  private static EmbeddedDatabase database;
  private static RunningFairlead fairlead;

  @BeforeAll
  static void start() throws SQLException {
    database = MigratedDatabase.start();
    fairlead = RunningFairlead.startBehind(database, database.url());
    // a day each in June and July 2024. The price changes at 12:30 on 1 June
    String change = "2024-06-01T12:30:00Z";
    sql(PastPrices.insert(H100, 2_000_000, "2024-01-01T00:00:00Z", change));
    sql(PastPrices.insert(H100, 3_000_000, change, null));
    sql(HOURS.formatted(1_717_200_000_000L, 1_717_200_000_000L + 86_399_999));
    sql(HOURS.formatted(1_719_792_000_000L, 1_719_792_000_000L + 86_399_999));
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

  private static Http.Answer get(String path) {
    Http.Answer answer = fairlead.http().get(PATH + path);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer;
  }

  private static Http.Answer sign(String month, String query) {
    return fairlead.http().send("POST", PATH + month + "/sign-off" + query, null);
  }

  /** Fails when lines are not cut where the price changes, or amounts are not exact. */
  @Test
  void aLineIsOneUseAtOnePrice() {
    JsonNode june = get("2024-06").json();

    assertThat(june.get("preliminary").asBoolean()).isFalse();
    assertThat(june.get("signed").isNull()).isTrue();
    assertThat(june.get("lines")).hasSize(3);
    JsonNode first = june.get("lines").get(0);
    assertThat(first.at("/to").asString()).isEqualTo("2024-06-01T13:00:00Z");
    assertThat(first.at("/used/milliGpuMillis").asLong()).isEqualTo(26L * 1_800_000_001);
    assertThat(first.at("/cost/amount").decimalValue()).isEqualByComparingTo("26.000000");
    assertThat(june.at("/lines/1/cost/amount").decimalValue()).isEqualByComparingTo("33.000000");
    assertThat(june.at("/lines/2/cost").isNull()).isTrue();
    assertThat(june.at("/totals/amounts/0/amount").decimalValue()).isEqualByComparingTo("59");
    assertThat(june.at("/totals/used/milliGpuMillis").asLong()).isEqualTo(96L * 1_800_000_001);
    assertThat(june.at("/totals/withoutCost/milliGpuMillis").asLong())
        .isEqualTo(48L * 1_800_000_001);
  }

  /**
   * Fails when a line does not name the paying account, or a text that FOCUS cannot represent is
   * accepted.
   */
  @Test
  void lineNamesTheCostCentreOfItsProject() {
    Http.Answer set = patch("CC-4711 / research");
    assertThat(set.status()).as(set.body()).isEqualTo(200);
    assertThat(get("2024-06").json().at("/lines/0/costCentre").asString())
        .isEqualTo("CC-4711 / research");
    assertThat(get("2024-06/focus").body()).contains("costCentre\"\":\"\"CC-4711 / research");
    assertThat(patch("=cmd()").status()).isEqualTo(422);
    assertThat(patch("a\\\"b").status()).isEqualTo(422);
    assertThat(patch("").json().get("costCentre").isNull()).isTrue();
    assertThat(get("2024-06").json().at("/lines/0/costCentre").isNull()).isTrue();
  }

  private static Http.Answer patch(String centre) {
    return fairlead
        .http()
        .send(
            "PATCH",
            "/api/v1/projects/default",
            "{\"costCentre\": \"" + centre + "\"}",
            "Content-Type",
            "application/merge-patch+json");
  }

  /** Fails when use of another hour is in the export, or a row lacks a column. */
  @Test
  void theLinesAreExportedAsFocus() {
    String csv = get("2024-06/focus").body();

    assertThat(csv.lines()).hasSize(4).allMatch(row -> row.split(",", -1).length >= 43);
    assertThat(csv).startsWith("AvailabilityZone,BilledCost,").contains(",26.000000,", ",XXX,");
    assertThat(get("2024-06/focus").header("Fairlead-Preliminary")).isEqualTo("false");
    assertThat(get("2998-12/focus").header("Fairlead-Preliminary")).isEqualTo("true");
  }

  /** Fails when a month without stored use seems to have used no GPU. */
  @Test
  void gpusOfAMonthAreListedWhileItsUseIsStored() {
    assertThat(code("2024-06/devices")).isEqualTo("LIMIT_EXCEEDED");
    assertThat(code("2998-12/devices?pageToken=x")).isEqualTo("INVALID_PAGE_TOKEN");
    assertThat(get("2998-12/devices").json().get("items").size()).isZero();
  }

  private static String code(String path) {
    return fairlead.http().get(PATH + path).json().get("code").asString();
  }

  /** Fails when a signed document changes by a price, a rebuilt hour, or at another sign-off. */
  @Test
  void signedStatementIsReturnedByteForByte() throws SQLException {
    assertThat(fairlead.http().get(PATH + "2024-07/corrections").body())
        .contains("ILLEGAL_STATE", "is not signed");
    Http.Answer trial = sign("2024-07", "?validateOnly=true");
    assertThat(trial.status()).isEqualTo(200);
    assertThat(trial.json().get("signed").isNull()).isTrue();
    assertThat(get("2024-07").json().get("signed").isNull()).isTrue();
    String signed = sign("2024-07", "").body();
    assertThat(signed).contains("\"signed\":{");
    assertThat(get("2024-07/corrections").json().get("lines")).isEmpty();

    sql(
        "DELETE FROM use_fact WHERE start_ms = 1719792000000 AND used_by = 'ada' AND cluster ="
            + " '00000000-0000-0000-0000-000000000001'");

    assertThat(get("2024-07").body()).isEqualTo(signed);
    assertThat(sign("2024-07", "").body()).isEqualTo(signed);
    JsonNode corrections = get("2024-07/corrections").json();
    assertThat(corrections.get("lines")).hasSize(1);
    assertThat(corrections.at("/lines/0/used/milliGpuMillis").asLong()).isEqualTo(-1_800_000_001);
    assertThat(corrections.at("/totals/amounts/0/amount").decimalValue())
        .isEqualByComparingTo("-1.5");
    List<JsonNode> audit =
        fairlead
            .http()
            .get("/api/v1/audit?action=signStatement")
            .json()
            .get("items")
            .valueStream()
            .filter(row -> row.get("object").asString().equals("2024-07"))
            .toList();
    assertThat(audit).hasSize(1);
    assertThat(audit.getFirst().toString()).contains("72.000000 EUR");
  }

  /** Fails when a month can be signed while its hours can still change. */
  @Test
  void unfinishedMonthIsNotSigned() {
    Http.Answer refused = sign("2998-12", "");

    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.body()).contains("from 2999-01-01T00:10:00Z on");
    assertThat(get("2998-12").json().get("preliminary").asBoolean()).isTrue();
  }

  /** Fails when a month with more lines than a statement has breaks the list of all months. */
  @Test
  void monthWithTooManyLinesStillAppearsInTheList() throws SQLException {
    sql(
        "INSERT INTO use_fact (kind, period, start_ms, tenant, project, queue, used_by, cluster, pool,"
            + " model, capacity, amount) SELECT 'USE', 'HOUR', 1672531200000, tenant, id, default_queue, 'ada', '00000000-0000-0000-0000-000000000002',"
            + " 'p' || i, 'H100', 'SPOT', 3 FROM project, generate_series(1, 50001) AS i WHERE name"
            + " = 'default'");

    assertThat(fairlead.http().get(PATH + "2023-01").body()).contains("LIMIT_EXCEEDED");
    JsonNode list =
        fairlead.http().get("/api/v1/statements?from=2023-01&to=2023-02").json().get("items");
    assertThat(list.at("/0/totals/used/milliGpuMillis").asLong()).isEqualTo(150_003);
  }

  /** Fails when months are missing in the list, or the list is unbounded. */
  @Test
  void listHasOneStatementPerMonth() {
    JsonNode list =
        fairlead.http().get("/api/v1/statements?from=2024-05&to=2024-06").json().get("items");
    assertThat(list).hasSize(2);
    assertThat(list.at("/0/totals/used/milliGpuMillis").asLong()).isZero();
    assertThat(list.at("/1/totals/amounts/0/amount").decimalValue()).isEqualByComparingTo("59");
    assertThat(fairlead.http().get("/api/v1/statements").json().get("items")).hasSize(12);
    assertThat(fairlead.http().get("/api/v1/statements?from=2020-01&to=2024-06").body())
        .contains("more than 36 months");
    assertThat(fairlead.http().get(PATH + "2024-13").body()).contains("INVALID_PARAMETER");
  }

  /**
   * The last June that ended at least a month ago, which has 720 hours and is recent enough for
   * stays.
   */
  private static final int YEAR = YearMonth.now(ZoneOffset.UTC).minusMonths(7).getYear();

  private static final String JUNE = YEAR + "-06";
  private static final PriceScope STORAGE = PriceScope.of(null, new PriceScope.Storage("standard"));
  private static final String HELD =
      "/api/v1/reports/volume-hours?from=%s-01T00:00:00Z&to=%s-30T00:00:00Z";
  private static final String STAY =
      "INSERT INTO volume_stay SELECT '%s', t.id, coalesce(p.id, gen_random_uuid()), '%s', %d,"
          + " '%s', '00000000-0000-0000-0000-000000000001', '%s', '%s' FROM tenant t LEFT JOIN"
          + " project p ON p.tenant = t.id AND p.name = 'default' WHERE t.name = '%s'";

  /** 100 GiB for ten days, then 250 GiB. The price changes at 12:30. */
  private static void volumesOfJune() throws SQLException {
    String change = JUNE + "-16T12:30:00Z";
    sql(PastPrices.insert(STORAGE, 120_000, "2024-01-01T00:00:00Z", change));
    sql(PastPrices.insert(STORAGE, 180_000, change, null));
    stay("training", 100, "standard", YEAR + "-05-20Z", JUNE + "-11Z", "default");
    stay("training-big", 250, "standard", JUNE + "-11Z", YEAR + "-07-05Z", "default");
    stay("unpriced", 10, "other", JUNE + "-01Z", JUNE + "-02Z", "default");
    assertThat(fairlead.http().yaml("/api/v1/tenants", "{name: storing}").status()).isEqualTo(201);
    stay("skewed", 5, "standard", JUNE + "-02 00:00:01Z", JUNE + "-02Z", "default");
    stay("theirs", 7, "standard", JUNE + "-01Z", JUNE + "-02Z", "storing");
  }

  private static void stay(
      String name, int gib, String storageClass, String from, String to, String tenant)
      throws SQLException {
    sql(STAY.formatted(UUID.randomUUID(), name, gib, storageClass, from, to, tenant));
  }

  /**
   * Fails when the amounts are not those by hand (4.00, 5.541666..., 21.6875), when usage without a
   * price is omitted or costs 0, when another tenant's volume is visible, when a use that ended
   * before it began by clock skew counts as negative, or when another process returns a different
   * statement.
   */
  @Test
  void volumeLinesAppearOnlyInTheStatementOfTheirTenant() throws SQLException {
    volumesOfJune();

    Http.Answer answer = get(JUNE);
    JsonNode june = answer.json();
    assertThat(june.get("volumes").valueStream().map(StatementsIT::told))
        .containsExactly(
            "training 24000: 4.000000",
            "training-big 33250: 5.541667",
            "training-big 86750: 21.687500",
            "unpriced 240: null");
    assertThat(june.at("/totals/amounts/0/amount").decimalValue())
        .isEqualByComparingTo("31.229167");
    assertThat(june.at("/totals/held/gibHours").decimalValue()).isEqualByComparingTo("144240");
    assertThat(june.at("/totals/heldWithoutCost/gibHours").decimalValue())
        .isEqualByComparingTo("240");
    JsonNode months = fairlead.http().get("/api/v1/statements?from=" + JUNE + "&to=" + JUNE).json();
    assertThat(months.at("/items/0/totals")).isEqualTo(june.get("totals"));
    JsonNode theirs = fairlead.http().get(PATH + JUNE, "Fairlead-Tenant", "storing").json();
    assertThat(theirs.get("volumes").valueStream().map(StatementsIT::told))
        .containsExactly("theirs 168: 0.028000");
    assertThat(fairlead.http().get(HELD.formatted(JUNE, JUNE)).body())
        .contains("unpriced")
        .doesNotContain("skewed");
    String csv = get(JUNE + "/focus?version=1.2").body();
    assertThat(csv).contains(",21.687500,", ",GiB-Hours,", ",Volume,");
    assertThat(csv.lines()).hasSize(5);
    RunningFairlead other = RunningFairlead.startBehind(database, database.url());
    assertThat(other.http().get(PATH + JUNE).body()).isEqualTo(answer.body());
    other.end();
    aSignedMonthIsCorrectedByNewRows();
  }

  private static void aSignedMonthIsCorrectedByNewRows() throws SQLException {
    String signed = sign(JUNE, "").body();
    assertThat(get(JUNE + "/corrections").json().get("volumes")).isEmpty();

    sql("UPDATE volume_stay SET ended_at = '" + JUNE + "-06Z' WHERE name = 'training'");

    assertThat(get(JUNE).body()).isEqualTo(signed);
    JsonNode corrections = get(JUNE + "/corrections").json();
    assertThat(corrections.get("volumes").valueStream().map(StatementsIT::told))
        .containsExactly("training 12000: 2.000000", "training -24000: -4.000000");
    assertThat(corrections.at("/totals/amounts/0/amount").decimalValue())
        .isEqualByComparingTo("-2");
  }

  private static String told(JsonNode line) {
    JsonNode cost = line.get("cost");
    return "%s %s: %s"
        .formatted(
            line.at("/volume/name").asString(),
            line.at("/held/gibHours").decimalValue().setScale(0, RoundingMode.HALF_EVEN),
            cost.isNull()
                ? null
                : cost.get("amount").decimalValue().setScale(6, RoundingMode.HALF_EVEN));
  }

  private static final String SERVICE = "/api/v1/projects/default/services/tokens";
  private static final String SEPTEMBER = "from=2024-09-01T00:00:00Z&to=2024-10-01T00:00:00Z";
  private static final String TOKENS =
      """
      INSERT INTO service_key_hour
      SELECT m.id, '%s', '%s', m.tenant, 5, %d, %d, 1, d.project, 'tokens'
      FROM model_service m JOIN config_document d ON d.name = m.document WHERE m.route = 'tokens.example'
      """;
  private static final String OF_REPLICAS =
      """
      INSERT INTO use_fact (kind, period, start_ms, tenant, project, queue, used_by, cluster, pool, model, capacity, service, amount)
      SELECT 'USE', 'HOUR', 1725148800000, tenant, id, default_queue, 'ada', '00000000-0000-0000-0000-000000000001', '', 'H100', 'RESERVED',
             s, 3600000000
      FROM project, unnest(ARRAY[NULL, '%s']) AS s WHERE name = 'default'
      """;

  /** Two keys of a service whose replica used one of the two GPU-hours of September. */
  private static void tokensOfSeptember() throws SQLException {
    String file =
        "{route: tokens.example, access: KEYS, job: {image: x, placement: {clusters: [nowhere]}}}";
    Http.Answer put = fairlead.http().send("PUT", SERVICE, file, "Content-Type", Http.YAML);
    assertThat(put.status()).as(put.body()).isEqualTo(200);
    for (String key : List.of("app", "eval", "spare")) {
      assertThat(fairlead.http().yaml(SERVICE + "/keys", "{name: " + key + "}").status())
          .isEqualTo(201);
    }
    sql(TOKENS.formatted("app", "2024-09-01 00:00Z", 900, 100));
    sql(TOKENS.formatted("app", "2024-09-30 23:00Z", 1000, 0));
    sql(TOKENS.formatted("eval", "2024-09-02 00:00Z", 0, 1000));
    sql(TOKENS.formatted("spare", "2024-10-01 00:00Z", 7, 7));
    sql(OF_REPLICAS.formatted(put.json().get("id").asString().substring("svc_".length())));
  }

  /**
   * Fails when tokens are charged a second time, when the GPUs of other jobs are divided among the
   * keys, or when a month has the requests of another one.
   */
  @Test
  void tokensOfAModelServiceDivideTheCostOfItsReplicas() throws SQLException {
    tokensOfSeptember();

    JsonNode september = get("2024-09").json();
    assertThat(september.at("/lines/0/cost/amount").decimalValue()).isEqualByComparingTo("6");
    assertThat(september.at("/totals/amounts/0/amount").decimalValue()).isEqualByComparingTo("6");
    assertThat(september.get("tokens").valueStream().map(StatementsIT::tokens))
        .containsExactly("app 10 1900 100: 2.00 EUR", "eval 5 0 1000: 1.00 EUR");
    List<String> rows = get("2024-09/focus?version=1.2").body().lines().skip(1).toList();
    assertThat(rows).hasSize(3);
    assertThat(rows.get(1))
        .contains(",0.000000,", ",2000,Tokens,", ",Model service,", ",2.000000,false");
    JsonNode usage = fairlead.http().get(SERVICE + "/usage?period=MONTH&" + SEPTEMBER).json();
    assertThat(usage.get("items").valueStream().map(each -> each.get("cost").decimalValue()))
        .as("cost of the keys in the report of the service")
        .usingElementComparator(Comparator.naturalOrder())
        .containsExactly(new BigDecimal("2"), new BigDecimal("1"));
    assertThat(fairlead.http().send("DELETE", SERVICE, null).status()).isLessThan(300);
    await().until(() -> fairlead.http().get(SERVICE).status() == 404);
    assertThat(get("2024-09").json().get("tokens"))
        .as("tokens of a service that was deleted before the sign-off")
        .isEqualTo(september.get("tokens"));
    String signed = sign("2024-09", "").body();
    assertThat(get("2024-09").body()).isEqualTo(signed).contains("promptTokens");
  }

  private static String tokens(JsonNode line) {
    return "%s %s %s %s: %s %s"
        .formatted(
            line.get("key").asString(),
            line.get("requests"),
            line.get("promptTokens"),
            line.get("completionTokens"),
            line.at("/included/amount").decimalValue().setScale(2, RoundingMode.UNNECESSARY),
            line.at("/included/currency").asString());
  }

  private static final String MARCH = "/api/v1/reports/savings?from=2024-03-01T00:00:00Z&to=";

  private static String a100(CapacityType capacity, long micros) {
    PriceScope scope = new PriceScope(null, null, "A100", capacity);
    return PastPrices.insert(scope, micros, "2024-01-01T00:00:00Z", null);
  }

  private static void twoGpuHoursReservedAndThreeOnDemand() throws SQLException {
    sql(a100(CapacityType.RESERVED, 1_000_000));
    sql(a100(CapacityType.ON_DEMAND, 4_000_000));
    sql(
        "INSERT INTO use_fact (kind, period, start_ms, tenant, project, queue, used_by, cluster, pool,"
            + " model, capacity, amount) SELECT 'USE', 'HOUR', 1709251200000, p.tenant, p.id, p.default_queue, 'ada',"
            + " gen_random_uuid(), '', 'A100', u.c, u.m FROM project p, (VALUES ('RESERVED',"
            + " 7200000000), ('ON_DEMAND', 10800000000)) AS u (c, m) WHERE p.name = 'default'");
    sql(
        "INSERT INTO use_fact (kind, period, start_ms, tenant, model, capacity, detail, amount)"
            + " SELECT 'SPILL', 'HOUR', 1709251200000, id, 'A100', 'ON_DEMAND', 'FULL', 10800000000"
            + " FROM tenant");
    sql(
        "INSERT INTO use_fact (kind, period, start_ms, tenant, model, detail, amount)"
            + " VALUES ('RESERVED', 'HOUR', 1709254800000, NULL, 'A100', 'FREE', 3600000000),"
            + " ('RESERVED', 'HOUR', 1709258400000, NULL, 'A100', 'FREE', 7200000000),"
            + " ('RESERVED', 'HOUR', 1709258400000, gen_random_uuid(), 'A100', 'FREE', 7200000000)");
  }

  /**
   * Fails when the three amounts are not for the same usage, when the sum differs from the
   * statement, or when free GPUs of another tenant's pool shorten the wait.
   */
  @Test
  void savingsCompareTheSameUse() throws SQLException {
    twoGpuHoursReservedAndThreeOnDemand();

    JsonNode found = fairlead.http().get(MARCH + "2024-04-01T00:00:00Z").json();
    JsonNode line = found.at("/lines/0");
    assertThat(line.get("paid").decimalValue()).isEqualByComparingTo("14");
    assertThat(get("2024-03").json().at("/totals/amounts/0/amount").decimalValue())
        .isEqualByComparingTo("14");
    assertThat(line.get("allOnDemand").decimalValue()).isEqualByComparingTo("20");
    assertThat(line.get("saved").decimalValue()).isEqualByComparingTo("6");
    assertThat(line.get("reservedOnly").decimalValue()).isEqualByComparingTo("2");
    assertThat(line.get("beyondReserved").decimalValue()).isEqualByComparingTo("12");
    JsonNode wait = found.at("/waits/0");
    assertThat(wait.at("/waiting/gpuHours").asDouble()).isEqualTo(3);
    assertThat(wait.at("/unserved/milliGpuMillis").asLong()).isZero();
    // 3 GPU-hours wait for an hour, 2 of them for another hour
    assertThat(wait.get("meanWaitSeconds").asLong()).isEqualTo(5 * 3600 / 3);
    assertThat(found.get("preliminary").asBoolean()).isFalse();
    assertThat(fairlead.http().get(MARCH + "2026-01-01T00:00:00Z").body())
        .contains("LIMIT_EXCEEDED", "at most 366 days");
    assertThat(fairlead.http().get(MARCH + "2024-02-01T00:00:00Z").body())
        .contains("INVALID_PARAMETER", "Set a later end");
  }
}
