package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The price book, written by an operator. */
class PricesIT {
  private static final String PRICES = "/api/v1/prices";
  private static final Http HTTP = RunningFairlead.shared().http();

  @BeforeAll
  static void aCluster() {
    Http.Answer made =
        HTTP.yaml(
            "/api/v1/clusters",
            "{name: priced, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 4, model: L4}]}");
    assertThat(made.status()).as(made.body()).isEqualTo(201);
  }

  private static Http.Answer post(String model, String more, String... headers) {
    return HTTP.yaml(
        PRICES, "{cluster: priced, model: %s, currency: EUR, %s}".formatted(model, more), headers);
  }

  private static JsonNode made(String model, String more) {
    Http.Answer answer = post(model, more);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return answer.json();
  }

  private static Instant inDays(int days) {
    return Instant.now().truncatedTo(ChronoUnit.SECONDS).plus(days, ChronoUnit.DAYS);
  }

  @Test
  void priceIsCreatedOncePerKeyAndReadBack() {
    Http.Answer made = post("V100-16GB", "pricePerGpuHour: 0.71", "Idempotency-Key", "price-1");
    Http.Answer again = post("V100-16GB", "pricePerGpuHour: 0.71", "Idempotency-Key", "price-1");

    assertThat(made.status()).as(made.body()).isEqualTo(201);
    assertThat(again.json().get("id")).isEqualTo(made.json().get("id"));
    JsonNode read = HTTP.get(made.header("Location")).json();
    assertThat(read).isEqualTo(made.json());
    assertThat(read.get("cluster").asString()).isEqualTo("priced");
    assertThat(read.get("pricePerGpuHour").decimalValue()).isEqualByComparingTo("0.71");
    assertThat(read.get("from")).isEqualTo(read.get("recordedAt"));
  }

  /** Fails when a commitment is not read, or differs from its price. */
  @Test
  void aCommitmentIsAddedAndReported() {
    Instant from = inDays(1);
    String time = "from: '%s', to: '%s', ".formatted(from, from.plus(10, ChronoUnit.DAYS));
    JsonNode made = made("B200", time + "commitment: {gpus: 8, amount: 3840}");

    assertThat(made.get("pricePerGpuHour").decimalValue()).isEqualByComparingTo("2");
    assertThat(made.get("capacityType").asString()).isEqualTo("RESERVED");
    assertThat(made.at("/commitment/gpus").asInt()).isEqualTo(8);
    String span = "?from=%s&to=%s".formatted(from, from.plus(1, ChronoUnit.DAYS));
    JsonNode report = HTTP.get("/api/v1/reports/commitments" + span).json();
    JsonNode line =
        report
            .get("lines")
            .valueStream()
            .filter(l -> l.get("price").equals(made.get("id")))
            .findFirst()
            .orElseThrow();
    assertThat(report.get("preliminary").asBoolean()).isTrue();
    assertThat(line.get("usedGpuHours").decimalValue()).isZero();
    assertThat(line.get("unusedCost")).isEqualTo(line.get("cost"));
    Http.Answer other =
        post(
            "B200",
            time + "pricePerGpuHour: 1, replaces: " + made.get("id").asString(),
            "X-None",
            "x");
    assertThat(other.status()).isEqualTo(422);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "commitment: {gpus: 8, amount: 100} | /to",
        "to: '2099-01-01T00:00:00Z', commitment: {amount: 100} | /commitment/gpus",
        "to: '2099-01-01T00:00:00Z', commitment: {gpus: 8} | /commitment/amount",
        "to: '2099-01-01T00:00:00Z', commitment: {gpus: 0, amount: 1} | /commitment/gpus",
        "to: '2099-01-01T00:00:00Z', commitment: {gpus: 1, amount: -1} | /commitment/amount",
        "to: '2099-01-01T00:00:00Z', capacityType: SPOT, commitment: {gpus: 1, amount: 1} |"
            + " /capacityType",
        "to: '2099-01-01T00:00:00Z', pricePerGpuHour: 1, commitment: {gpus: 1, amount: 1} |"
            + " /pricePerGpuHour"
      })
  void inconsistentCommitmentIsRejected(String body, String pointer) {
    Http.Answer answer = post("B100", body);

    assertThat(answer.status()).as(answer.body()).isEqualTo(422);
    assertThat(answer.json().at("/errors/0/pointer").asString()).isEqualTo(pointer);
  }

  /** Fails when a replacement leaves two prices for one time, or ends the old price too early. */
  @Test
  void priceIsReplacedFromAGivenDay() {
    JsonNode old = made("A10", "pricePerGpuHour: 2");
    Instant then = inDays(30);
    String from = "from: '" + then + "', pricePerGpuHour: 3";

    Http.Answer second = post("A10", from);
    assertThat(second.status()).isEqualTo(422);
    assertThat(second.json().at("/errors/0/pointer").asString()).isEqualTo("/from");
    assertThat(second.body()).contains("Two prices", old.get("id").asString());

    JsonNode next = made("A10", from + ", replaces: " + old.get("id").asString());
    JsonNode ended = HTTP.get(PRICES + "/" + old.get("id").asString()).json();
    assertThat(ended.get("effectiveTo").asString()).isEqualTo(then.toString());
    assertThat(ended.get("to").isNull()).isTrue();
    assertThat(ended.get("replacedBy")).isEqualTo(next.get("id"));
    assertThat(ids(inDays(29))).contains(id(old)).doesNotContain(id(next));
    assertThat(ids(inDays(31))).contains(id(next)).doesNotContain(id(old));
  }

  private static String id(JsonNode price) {
    return price.get("id").asString();
  }

  private static String ids(Instant at) {
    return HTTP.get(PRICES + "?pageSize=500&at=" + at)
        .json()
        .get("items")
        .valueStream()
        .map(PricesIT::id)
        .toList()
        .toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pricePerGpuHour: -1 | /pricePerGpuHour",
        "pricePerGpuHour: .nan | /pricePerGpuHour",
        "pricePerGpuHour: NaN | /pricePerGpuHour",
        "pricePerGpuHour: 1e9 | /pricePerGpuHour",
        "pricePerGpuHour: 0.0000001 | /pricePerGpuHour",
        "pricePerGpuHour: 1, from: '2020-01-01T00:00:00Z' | /from",
        "pricePerGpuHour: 1, to: '2020-01-01T00:00:00Z' | /to",
        "pricePerGpuHour: 1, pool: nowhere | /pool",
        "pricePerGpuHour: 1, replaces: pri_01m7vxn2c4e0mtrw2g5kqy8v3d | /replaces",
        "pricePerGpuHour: 1, capacityType: FREE | /capacityType",
      })
  void invalidPriceIsRejected(String more, String pointer) {
    Http.Answer refused = post("T4", more);

    assertThat(refused.status()).as(refused.body()).isIn(400, 422);
    if (refused.status() == 422) {
      assertThat(refused.json().at("/errors/0/pointer").asString()).isEqualTo(pointer);
    }
  }

  private static Http.Answer ofStorage(String more) {
    return HTTP.yaml(PRICES, "{currency: EUR, %s}".formatted(more));
  }

  /** Fails when a storage price is not read back unchanged, or two apply at one moment. */
  @Test
  void aPriceOfStorageIsAddedAndReplaced() {
    Http.Answer made = ofStorage("cluster: priced, storageClass: fast, pricePerGibMonth: 0.08");
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    JsonNode read = HTTP.get(made.header("Location")).json();
    assertThat(read).isEqualTo(made.json());
    assertThat(read.get("pricePerGibMonth").decimalValue()).isEqualByComparingTo("0.08");
    assertThat(read.get("storageClass").asString()).isEqualTo("fast");
    assertThat(read.get("pricePerGpuHour").isNull()).isTrue();

    String later =
        "cluster: priced, storageClass: fast, pricePerGibMonth: 0.09, from: '%s'"
            .formatted(inDays(3));
    assertThat(ofStorage(later).body()).contains("Two prices", id(read));
    Http.Answer next = ofStorage(later + ", replaces: " + id(read));
    assertThat(next.status()).as(next.body()).isEqualTo(201);
    assertThat(HTTP.get(PRICES + "/" + id(read)).json().get("effectiveTo").asString())
        .isEqualTo(next.json().get("from").asString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pricePerGibMonth: -1 | /pricePerGibMonth",
        "pricePerGibMonth: .nan | /pricePerGibMonth",
        "pricePerGibMonth: NaN | /pricePerGibMonth",
        "pricePerGibMonth: 1e9 | /pricePerGibMonth",
        "pricePerGibMonth: 0.0000001 | /pricePerGibMonth",
        "pricePerGibMonth: 1, pricePerGpuHour: 1 | /pricePerGpuHour",
        "pricePerGibMonth: 1, model: H100 | /model",
        "pricePerGibMonth: 1, pool: any | /pool",
        "pricePerGibMonth: 1, capacityType: SPOT | /capacityType",
        "pricePerGibMonth: 1, commitment: {gpus: 1, amount: 1} | /commitment",
        "pricePerGibMonth: 1, storageClass: No Class | /storageClass",
        "pricePerGibMonth: 1, cluster: nowhere | /cluster",
        "pricePerGibMonth: 1, from: '2020-01-01T00:00:00Z' | /from",
        "pricePerGpuHour: 1, storageClass: fast | /storageClass",
        "storageClass: fast | /storageClass",
      })
  void invalidStoragePriceIsRejected(String more, String pointer) {
    Http.Answer refused = ofStorage(more);

    assertThat(refused.status()).as(refused.body()).isIn(400, 422);
    if (refused.status() == 422) {
      assertThat(refused.json().at("/errors/0/pointer").asString()).isEqualTo(pointer);
    }
  }

  /** Fails when a price is stored that never applies, because its model is misspelt. */
  @Test
  void priceOfAnUnknownGpuModelIsRejected() {
    JsonNode problem = post("H10O", "pricePerGpuHour: 1").json();

    assertThat(problem.get("status").asInt()).isEqualTo(422);
    assertThat(problem.at("/errors/0/pointer").asString()).isEqualTo("/model");
    assertThat(problem.at("/errors/0/suggestion").asString()).isEqualTo("H100");
  }

  /** Fails when a price cannot be replaced after the last GPU of its model left. */
  @Test
  void modelOfAReplacementIsComparedOnlyWithItsPredecessor() {
    String old = id(made("T4", "pricePerGpuHour: 1"));

    JsonNode problem = post("H10O", "pricePerGpuHour: 1, replaces: " + old).json();

    assertThat(problem.at("/errors/0/pointer").asString()).isEqualTo("/replaces");
  }

  @Test
  void priceListIsPagedAndExcludesDryRuns() {
    made("P100", "pricePerGpuHour: 1");
    made("P40", "pricePerGpuHour: 1");
    String tried =
        HTTP.yaml(PRICES + "?validateOnly=true", "{model: P4, currency: EUR, pricePerGpuHour: 1}")
            .json()
            .get("id")
            .asString();

    JsonNode first = HTTP.get(PRICES + "?pageSize=1").json();
    JsonNode second =
        HTTP.get(PRICES + "?pageSize=1&pageToken=" + first.get("nextPageToken").asString()).json();

    assertThat(second.at("/items/0/id")).isNotEqualTo(first.at("/items/0/id"));
    assertThat(HTTP.get(PRICES + "?pageSize=500").body()).doesNotContain(tried);
  }

  /** Fails when a quote omits a member, or a running job is priced by another rule. */
  @Test
  void planShowsTheExpectedCostAndTheJobItsActualCost() {
    String price = id(made("L4", "pricePerGpuHour: 0.5, capacityType: RESERVED"));
    String spec =
        "{name: costly, image: x, workers: 2, gpu: L4:2, maxRuntime: 90m, placement: {clusters:"
            + " [priced]}, annotations: {sim.fairlead.dev/run-for: 1h}}";
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> HTTP.get("/api/v1/clusters/priced").json().get("nodes").asInt() == 1);

    JsonNode planned = HTTP.yaml("/api/v1/jobs/plan", spec).json().at("/candidates/0/cost");
    assertThat(planned.get("perHour").decimalValue()).isEqualByComparingTo("2");
    assertThat(planned.get("byMaxRuntime").decimalValue()).isEqualByComparingTo("3");
    assertThat(planned.get("currency").asString()).isEqualTo("EUR");
    assertThat(planned.get("sunk").asBoolean()).isTrue();
    assertThat(planned.at("/lines/0/price").asString()).isEqualTo(price);

    String job =
        "/api/v1/jobs/"
            + HTTP.yaml("/api/v1/projects/default/jobs", spec).json().get("id").asString();
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> HTTP.get(job).json().path("state").asString("").equals("RUNNING"));
    assertThat(HTTP.get(job).json().get("cost")).isEqualTo(planned);
    HTTP.json(job + "/cancel", "");
  }
}
