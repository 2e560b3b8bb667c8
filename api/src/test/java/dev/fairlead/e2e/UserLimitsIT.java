package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The limit of a user in a queue, set by an administrator, and its effect on jobs. */
class UserLimitsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String[] IN = {"Fairlead-Tenant", "user-limits"};
  private static final Http HTTP = RunningFairlead.shared().http();

  private static String submitted(String name) {
    String spec =
        "{name: %s, image: x, gpu: A10:1, maxRuntime: 1h, placement: {clusters: [users-c]}, annotations: {sim.fairlead.dev/run-for: 1h}}"
            .formatted(name);
    Http.Answer answer = HTTP.yaml("/api/v1/projects/default/jobs", spec, IN);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return "/api/v1/jobs/" + answer.json().get("id").asString();
  }

  private static void running(String job) {
    await()
        .atMost(PATIENCE)
        .until(() -> HTTP.get(job, IN).json().path("state").asString("").equals("RUNNING"));
  }

  /** Fails when only one of plan, write, submit and explanation applies user limits. */
  @Test
  void userLimitOfAQueueCapsItsJobsAndExplainsTheWait() {
    assertThat(HTTP.yaml("/api/v1/tenants", "{name: user-limits}").status()).isEqualTo(201);
    String cluster =
        "{name: users-c, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 4, model: A10}]}";
    assertThat(HTTP.yaml("/api/v1/clusters", cluster).status()).isEqualTo(201);
    Http.Answer set =
        HTTP.send(
            "PATCH",
            "/api/v1/queues/default",
            "{queue: {userLimits: {running: 1, queued: 1, gpuMinutes: 600},"
                + " projectLimits: {gpus: 2}, queueLimits: {gpuMinutes: 900}}}",
            "Content-Type",
            "application/yaml",
            "If-Match",
            "*",
            IN[0],
            IN[1]);
    assertThat(set.status()).as(set.body()).isEqualTo(200);
    assertThat(set.json().at("/queue/userLimits/running").asInt()).isEqualTo(1);
    assertThat(set.json().at("/queue/userLimits/gpuMinutes").asInt()).isEqualTo(600);
    assertThat(set.json().at("/queue/projectLimits/gpus").asInt()).isEqualTo(2);
    assertThat(set.json().at("/queue/queueLimits/gpuMinutes").asInt()).isEqualTo(900);

    String first = submitted("first");
    running(first);
    String second = submitted("second");
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(HTTP.get(second + "/explanation", IN).body())
                .contains("USER_LIMIT", "1 of 1 jobs", "queue default"));
    Http.Answer third = HTTP.yaml("/api/v1/projects/default/jobs", "{name: third, image: x}", IN);
    assertThat(third.status()).as(third.body()).isEqualTo(422);
    assertThat(third.body()).contains("LIMIT_EXCEEDED", "1 of 1 waiting jobs", "queue default");

    assertThat(HTTP.send("POST", first + "/cancel", null, IN).status()).isLessThan(300);
    running(second);
    HTTP.send("POST", second + "/cancel", null, IN);
  }
}
