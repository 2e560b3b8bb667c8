package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** One job evicts another, on PostgreSQL and a simulated cluster, from the view of a caller. */
class PreemptionIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Http HTTP = RunningFairlead.shared().http();

  @BeforeAll
  static void oneNodeAndAQueueThatPreempts() {
    HTTP.yaml(
        "/api/v1/clusters",
        "{name: preempt-1, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: H100, blocks:"
            + " 1, racksPerBlock: 1}]}");
    HTTP.yaml("/api/v1/quotas", "{name: preempt-root}");
    Http.Answer made =
        HTTP.yaml(
            "/api/v1/quotas",
            "{name: preempt, parent: preempt-root, queue: {order: BEST_EFFORT_FIFO}, preemption:"
                + " {withinQueue: LOWER_PRIORITY}}");
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    await()
        .atMost(PATIENCE)
        .until(() -> HTTP.get("/api/v1/clusters/preempt-1").json().get("nodes").asInt() == 1);
  }

  private static String submit(String priority, String runFor) {
    Http.Answer answer =
        HTTP.yaml(
            "/api/v1/projects/default/jobs",
            """
            image: x
            queue: preempt
            gpu: H100:8
            priorityClass: %s
            placement: {clusters: [preempt-1]}
            annotations: {sim.fairlead.dev/run-for: %s, sim.fairlead.dev/stop-after: 20s}
            """
                .formatted(priority, runFor));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return "/api/v1/jobs/" + answer.json().get("id").asString();
  }

  private static void awaitState(String job, String state) {
    await()
        .atMost(PATIENCE)
        .until(() -> HTTP.get(job).json().path("state").asString("").equals(state));
  }

  @Test
  void victimReportsWhyItWasPreemptedAndRestartsWhenCapacityIsFree() {
    String low = submit("low", "1h");
    awaitState(low, "RUNNING");
    Http.Answer saved = HTTP.json(low + "/checkpoint", "");
    assertThat(saved.status()).as(saved.body()).isEqualTo(200);
    String high = submit("high", "2s");
    await()
        .atMost(PATIENCE)
        .until(() ->
            HTTP.get(high).json().at("/pending/reason").asString("").equals("WAITING_FOR_VICTIMS"));

    awaitState(high, "SUCCEEDED");
    JsonNode risk = HTTP.get(low + "/explanation").json().get("preemptionRisk");
    assertThat(risk.at("/by/0/right").asString()).isEqualTo("WITHIN_QUEUE");
    assertThat(risk.at("/by/0/fromPriority").asInt()).isEqualTo(500);
    assertThat(risk.at("/past/0/flavor").asString()).isEqualTo("H100/RESERVED");
    assertThat(risk.at("/past/0/preempted/WITHIN_QUEUE").asInt()).isEqualTo(1);
    JsonNode first = HTTP.get(low + "/attempts").json().at("/items/0");
    assertThat(first.get("state").asString()).isEqualTo("PREEMPTED");
    assertThat(first.hasNonNull("checkpointedAt")).isTrue();
    assertThat(first.get("cause").asString()).isEqualTo("PREEMPTED");
    assertThat(first.get("message").asString()).contains("precedes it in its queue");
    assertThat(HTTP.json(high + "/checkpoint", "").code()).isEqualTo("ILLEGAL_STATE");
    awaitState(low, "RUNNING");
    assertThat(HTTP.get(low).json().get("attempt").asInt()).isEqualTo(2);
    HTTP.json(low + "/cancel", "");
  }
}
