package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.kernel.metric.Metric;
import java.time.Duration;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The metrics of a service that has run a job, compared with the list behind
 * docs/reference/metrics.md.
 */
class MetricsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final RunningFairlead FAIRLEAD = RunningFairlead.shared();
  private static final Http HTTP = FAIRLEAD.http();

  /**
   * These metrics appear with the first fault or refusal, in the retention's tenth minute, with a
   * key file, or with an address for traces.
   */
  private static final Set<Metric> LATER =
      Set.of(
          Metric.API_REFUSED,
          Metric.ATTEMPTS_OLDEST,
          Metric.AUDIT_BROKEN,
          Metric.AUDIT_SEAL_REFUSED,
          Metric.AUDIT_SEALED,
          Metric.AUDIT_UNSEALED_AGE,
          Metric.CAMPAIGN_NODES, // while a campaign has one out of service
          Metric.CHECKPOINTS,
          Metric.EFFICIENCY_SERIES, // a simulated cluster has no Prometheus
          Metric.EFFICIENCY_UNREAD,
          Metric.GPU_FAULTS,
          Metric.EVICTIONS,
          Metric.FORECAST_REFUSED,
          Metric.FRONT_JOBS, // a simulated cluster has no Jobs of its own
          Metric.FRONT_MISSING,
          Metric.FRONT_UNREAD,
          Metric.HEALTH_TESTS_DOUBTED, // checked after half a minute
          Metric.IDLE_JOBS,
          Metric.LAUNCHES_REFUSED,
          Metric.LOG_BYTES, // without a directory no output is collected
          Metric.LOG_GAPS,
          Metric.LOG_LAG,
          Metric.LOG_STORE_FAILURES,
          Metric.LOG_STORE_UNPROVED,
          Metric.PARTITIONS_HORIZON,
          Metric.PLAN_DROPPED,
          Metric.PLAN_FAILED,
          Metric.RETENTION_FAILURES,
          Metric.REPAIR_OVERDUE, // checked after ten seconds
          Metric.REPAIR_STEP,
          Metric.REPAIR_BETWEEN,
          Metric.SPANS,
          Metric.SUPPLY_READY,
          Metric.SUPPLY_REQUESTS,
          Metric.SUPPLY_UNANSWERED,
          Metric.CLUSTER_CERTIFICATE_LEFT,
          Metric.CLUSTER_CALLS, // a simulated cluster has no API server
          Metric.CLUSTER_CALLS_PERMITTED,
          Metric.CLUSTER_CALLS_RUNNING,
          Metric.CLUSTER_QUOTA_REMOVALS,
          Metric.CLUSTER_REPAIRS,
          Metric.CLUSTER_TOKEN_LEFT,
          Metric.CLUSTER_TOKEN_RENEWALS,
          Metric.WEBHOOK_DELIVERIES);

  private static String path;

  @BeforeAll
  static void aJobRuns() {
    HTTP.yaml(
        "/api/v1/clusters",
        "{name: metered, kind: SIMULATED, fleet: [{nodes: 2, gpusPerNode: 8, model: H100}]}");
    Http.Answer job =
        HTTP.yaml(
            "/api/v1/projects/default/jobs",
            "{image: x, gpu: 1, placement: {clusters: [metered]}, annotations:"
                + " {sim.fairlead.dev/run-for: 1h}}");
    path = "/api/v1/jobs/" + job.json().get("id").asString();
    await()
        .atMost(PATIENCE)
        .until(() -> HTTP.get(path).json().path("state").asString("").equals("RUNNING"));
  }

  @AfterAll
  static void itEnds() {
    HTTP.json(path + "/cancel", "");
  }

  private static String scrape() {
    return FAIRLEAD.management().get("/actuator/prometheus").body();
  }

  private static SortedSet<String> families() {
    SortedSet<String> families = new TreeSet<>();
    scrape()
        .lines()
        .filter(line -> line.startsWith("# TYPE fairlead_"))
        .map(line -> line.split(" ")[2])
        .map(name -> name.endsWith("_max") ? name.substring(0, name.length() - 4) : name)
        .forEach(families::add);
    return families;
  }

  /** Fails when a meter is registered that is not in the list, or without its labels. */
  @Test
  void metricsListMatchesRegisteredMeters() {
    SortedSet<String> listed = new TreeSet<>();
    Stream.of(Metric.values()).map(Metric::family).forEach(listed::add);
    SortedSet<String> expected = new TreeSet<>();
    Stream.of(Metric.values())
        .filter(metric -> !LATER.contains(metric))
        .map(Metric::family)
        .forEach(expected::add);

    await().atMost(PATIENCE).untilAsserted(() -> assertThat(families()).containsAll(expected));
    assertThat(families()).isSubsetOf(listed);
  }

  @Test
  void metricValuesMatchTheEventsOfTheTest() {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          String scrape = scrape();
          assertThat(scrape)
              .containsPattern(
                  "fairlead_gpus\\{cluster=\"metered\",model=\"[^\"]*H100[^\"]*\",state=\"allocated\"}"
                      + " 1\\.0")
              .containsPattern(
                  "fairlead_cluster_state\\{cluster=\"metered\",state=\"ACTIVE\"} 1\\.0")
              .containsPattern("fairlead_cluster_silence_seconds\\{cluster=\"metered\"} \\d")
              .containsPattern("fairlead_lease_held\\{lease=\"scheduler\"} 1\\.0")
              .containsPattern("fairlead_lease_taken_total\\{lease=\"scheduler\"} [1-9]")
              .containsPattern("fairlead_plan_written_total\\{decision=\"place\"} [1-9]")
              .containsPattern("fairlead_attempt_start_seconds_count [1-9]")
              .containsPattern("fairlead_event_delivery_seconds_count [1-9]")
              .contains(
                  "hikaricp_connections_max{pool=\"fairlead\"} 20.0",
                  "hikaricp_connections_max{pool=\"fairlead-loops\"} 10.0")
              .contains("# HELP fairlead_world_age_seconds " + Metric.WORLD_AGE.meaning());
        });
  }

  /** Fails when a library's meter has an unbounded label, such as a path with ids. */
  @Test
  void noSeriesHasAJobLabel() {
    assertThat(scrape().lines().filter(line -> !line.startsWith("#")).count()).isLessThan(8_000);
    assertThat(scrape())
        .doesNotContain("job=\"")
        .doesNotContainPattern("uri=\"[^\"]*/jobs/0[0-9a-z]{25}");
  }
}
