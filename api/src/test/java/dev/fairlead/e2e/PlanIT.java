package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The placement that a spec would get now, requested over REST. */
class PlanIT {
  private static final Http HTTP = RunningFairlead.shared().http();
  private static final String WIDE =
      "{name: plan-only, image: x, workers: 2, gpu: H100:8, placement: {clusters: [plan-1]}}";

  private static final String SHORT = "image: x, annotations: {sim.fairlead.dev/run-for: 5s}";

  @BeforeAll
  static void aCluster() {
    HTTP.yaml(
        "/api/v1/clusters",
        "{name: plan-1, kind: SIMULATED, pricePerGpuHour: {H100: 2.5},"
            + " fleet: [{nodes: 2, gpusPerNode: 8, model: H100, blocks: 1, racksPerBlock: 1}]}");
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> HTTP.get("/api/v1/clusters/plan-1").json().get("nodes").asInt() == 2);
  }

  @Test
  void planNamesNodesCapacityAndPriceAndStoresNothing() {
    Http.Answer answer = HTTP.yaml("/api/v1/jobs/plan", WIDE);

    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    JsonNode plan = answer.json();
    assertThat(plan.get("startsNow").asBoolean()).isTrue();
    assertThat(plan.get("gpus").asInt()).isEqualTo(16);
    assertThat(plan.at("/candidates/0/cluster").asString()).isEqualTo("plan-1");
    assertThat(plan.at("/candidates/0/chosen").asBoolean()).isTrue();
    assertThat(plan.at("/candidates/0/freeGpus").asInt()).isEqualTo(16);
    assertThat(plan.at("/candidates/0/estimate/p50")).isEqualTo(plan.get("computedAt"));
    assertThat(plan.at("/candidates/0/pricePerGpuHour").decimalValue()).isEqualByComparingTo("2.5");
    assertThat(plan.get("explanation").isNull()).isTrue();
    assertThat(HTTP.get("/api/v1/jobs?name=plan-only").json().get("items")).isEmpty();
  }

  @Test
  void infeasibleJobIsExplainedWithItsNumbers() {
    JsonNode plan = HTTP.yaml("/api/v1/jobs/plan", WIDE.replace("workers: 2", "workers: 3")).json();

    assertThat(plan.get("feasible").asBoolean()).isFalse();
    assertThat(plan.at("/explanation/reason").asString()).isEqualTo("NEVER_FITS");
    assertThat(plan.get("warnings")).hasSize(1);
  }

  /** Fails when the plan does not read the runs of ended jobs. */
  @Test
  void runtimesAreLearnedFromEndedJobs() {
    String shape = WIDE.replace("plan-only", "short").replace("workers: 2", "workers: 1");
    String job =
        "/api/v1/jobs/"
            + HTTP.yaml("/api/v1/projects/default/jobs", shape.replace("image: x", SHORT))
                .json()
                .get("id")
                .asString();
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> HTTP.get(job).json().path("state").asString("").equals("SUCCEEDED"));

    JsonNode run = HTTP.yaml("/api/v1/jobs/plan", shape).json().at("/expected/run");

    assertThat(run.get("runs").asInt()).isPositive();
    assertThat(run.get("p50").asString()).isNotEmpty();
    assertThat(run.get("level").asString()).isNotEmpty();
  }

  @Test
  void planRejectsTheSameSpecsAsSubmit() {
    assertThat(HTTP.yaml("/api/v1/jobs/plan", "{image: x, gpus: 1}").code())
        .isEqualTo("UNKNOWN_FIELD");
    assertThat(HTTP.yaml("/api/v1/jobs/plan?project=nobody", "{image: x}").code())
        .isEqualTo("NOT_FOUND");
  }
}
