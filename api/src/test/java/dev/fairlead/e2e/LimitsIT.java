package dev.fairlead.e2e;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Limits of a tenant and its projects, and their effect on requests. */
class LimitsIT {
  private static final String TENANT = "/api/v1/tenants/limited/limits";
  private static final String PROJECT = "/api/v1/projects/small/limits";
  private static final String JOBS = "/api/v1/projects/small/jobs?validateOnly=true";
  private static final String JOB = "{image: x, placement: {clusters: [nowhere]}}";
  private static final String[] IN = {"Fairlead-Tenant", "limited"};
  private static final Http HTTP = RunningFairlead.shared().http();

  @BeforeAll
  static void aTenantWithAProject() {
    assertThat(HTTP.yaml("/api/v1/tenants", "{name: limited}").status()).isEqualTo(201);
    assertThat(HTTP.yaml("/api/v1/projects", "{name: small}", IN).status()).isEqualTo(201);
  }

  private static Http.Answer patch(String path, String body) {
    return HTTP.send("PATCH", path, body, "Content-Type", "application/yaml", IN[0], IN[1]);
  }

  private static void refusedSoon(String path, String body, String detail) {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(HTTP.yaml(path, body, IN).body()).contains(detail));
  }

  /**
   * Fails when a set limit has no effect, when its error does not name the limit and the role that
   * can raise it, or when a project has more than its tenant.
   */
  @Test
  void newLimitsOfTenantsAndProjectsApplyWithinSeconds() {
    Http.Answer free = patch(PROJECT, "{activeJobs: 200000}");
    assertThat(free.status()).as(free.body()).isEqualTo(422);
    assertThat(free.body()).contains("activeJobs of a project", "at most 100000");
    Http.Answer set = patch(TENANT, "{specBytes: 2048, projects: 2, activeJobs: 5}");
    assertThat(set.status()).as(set.body()).isEqualTo(200);
    assertThat(set.json().at("/effective/specBytes").asInt()).isEqualTo(2048);

    refusedSoon(
        JOBS,
        "{image: x, env: {LONG: " + "y".repeat(2048) + "}}",
        "A spec has at most 2048 bytes: the limit specBytes of the tenant, which an operator");
    Http.Answer beyond = patch(PROJECT, "{activeJobs: 6}");
    assertThat(beyond.status()).as(beyond.body()).isEqualTo(422);
    assertThat(beyond.body()).contains("activeJobs of a project", "at most 5", "not 6");
    assertThat(patch(PROJECT, "{projects: 1}").status()).isEqualTo(422);
    Http.Answer own = patch(PROJECT, "{activeJobs: 1}");
    assertThat(own.status()).as(own.body()).isEqualTo(200);
    assertThat(own.json().at("/effective/activeJobs").asInt()).isEqualTo(1);
    assertThat(own.json().at("/effective/specBytes").asInt()).isEqualTo(2048);

    Http.Answer job = HTTP.yaml("/api/v1/projects/small/jobs", JOB, IN);
    assertThat(job.status()).as(job.body()).isEqualTo(201);
    String labels =
        IntStream.range(0, 30)
            .mapToObj(i -> "k" + i + ": " + "v".repeat(60))
            .collect(joining(", "));
    Http.Answer grown =
        patch("/api/v1/jobs/" + job.json().at("/id").asString(), "{labels: {" + labels + "}}");
    assertThat(grown.status()).as(grown.body()).isEqualTo(422);
    assertThat(grown.body()).contains("at most 2048 bytes");
    refusedSoon(
        JOBS,
        JOB,
        "has 1 active jobs of at most 1, and this adds 1: the limit activeJobs of the project,"
            + " which an owner");
    refusedSoon(
        "/api/v1/projects?validateOnly=true",
        "{name: third}",
        "Tenant limited has 2 of at most 2 projects: the limit projects of the tenant");

    assertThat(patch(PROJECT, "{activeJobs: null}").json().at("/set/activeJobs").isNull()).isTrue();
    await().atMost(Duration.ofSeconds(60)).until(() -> HTTP.yaml(JOBS, JOB, IN).status() == 201);
  }
}
