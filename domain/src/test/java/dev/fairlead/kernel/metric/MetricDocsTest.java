package dev.fairlead.kernel.metric;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares the page, or writes it with {@code -Dfairlead.update=true}. */
@Tag("generated-docs")
class MetricDocsTest {
  private static final Path ROOT = Path.of(System.getProperty("fairlead.root", ".."));
  private static final Path PAGE = ROOT.resolve("docs/reference/metrics.md");
  private static final int MOST_SERIES = 12_000;

  private static final String HEAD =
      """
      # Metrics

      For operators. Generated from `dev.fairlead.kernel.metric.Metric` by `make docs`; do not edit. Each process exports
      its own metrics at `/actuator/prometheus` of its management port. A scrape does not query the database.

      Metrics of the whole installation are exported only by the process that holds the lease named below. Aggregate gauges
      over processes with `max`, and counters with `sum`. To join the name of a cluster to a series that has only its lease
      or loop:

      ```
      fairlead_divergences * on (lease) group_left (cluster) max by (lease, cluster) (fairlead_cluster_info)
      fairlead_loop_turns_seconds_max * on (loop) group_left (cluster) max by (loop, cluster) (fairlead_cluster_info)
      ```

      A histogram or summary has `_count`, `_sum` and `_max`, and a histogram also has `_bucket`. No label names a job, a user
      or a node, so the number of series does not grow with them: %,d at most with 100 queues and 50 clusters.

      | metric | type | labels | meaning |
      | --- | --- | --- | --- |
      """;

  private static final String LIBRARIES =
      """

      The rules in [deploy/prometheus](../../deploy/prometheus) also use these metrics of libraries:

      | metric | type | labels | meaning |
      | --- | --- | --- | --- |
      | `hikaricp_connections_active` | gauge | `pool` | connections to the database in use |
      | `hikaricp_connections_max` | gauge | `pool` | maximum number of connections to the database |
      | `hikaricp_connections_pending` | gauge | `pool` | threads that wait for a connection |
      | `http_server_requests_seconds` | histogram | `method`, `uri`, `status`, `outcome`, `exception`, `error` | requests; `uri` is the pattern of the path |
      | `jvm_memory_max_bytes` | gauge | `area`, `id` | maximum memory |
      | `jvm_memory_used_bytes` | gauge | `area`, `id` | memory in use |
      | `process_start_time_seconds` | gauge | - | start time of the process |
      | `resilience4j_circuitbreaker_state` | gauge | `name` (cluster), `state` | 1 for the current state of the circuit breaker for the API server |
      | `up` | gauge | `job`, `instance` | from Prometheus: 1 while the process answers scrapes |
      """;

  private static String text() {
    int most = Stream.of(Metric.values()).mapToInt(Metric::most).sum();
    return HEAD.formatted(most)
        + Stream.of(Metric.values()).map(MetricDocsTest::row).sorted().collect(Collectors.joining())
        + "\n| label | values |\n| --- | --- |\n"
        + Stream.of(Label.values())
            .map(label -> "| `%s` | %s |\n".formatted(label.key(), label.meaning()))
            .distinct()
            .sorted()
            .collect(Collectors.joining())
        + LIBRARIES;
  }

  private static String row(Metric metric) {
    String labels =
        metric.labels().isEmpty()
            ? "-"
            : metric.labels().stream()
                .map(label -> "`" + label.key() + "`")
                .collect(Collectors.joining(", "));
    return "| `%s` | %s | %s | %s |\n"
        .formatted(metric.family(), metric.type(), labels, metric.meaning());
  }

  @Test
  void committedPageMatchesTheList() throws IOException {
    if (Boolean.getBoolean("fairlead.update")) {
      Files.writeString(PAGE, text());
    }

    assertThat(Files.readString(PAGE))
        .as("docs/reference/metrics.md is out of date: run `make docs` and commit it")
        .isEqualTo(text());
  }

  /** Fails when a metric gets a label with too many values for Prometheus. */
  @Test
  void seriesPerProcessAreBoundedUnderAnyWorkload() {
    assertThat(Stream.of(Metric.values()).mapToInt(Metric::most).sum()).isLessThan(MOST_SERIES);
  }

  /** Fails when the list has a metric that the product no longer measures. */
  @Test
  void eachMetricIsMeasuredSomewhere() throws IOException {
    StringBuilder sources = new StringBuilder();
    for (String module : List.of("service", "api", "integrations", "k8s-adapter")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(module + "/src/main/java"))) {
        for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
          sources.append(Files.readString(file));
        }
      }
    }
    String all = sources.toString();
    assertThat(Arrays.stream(Metric.values()).filter(m -> !all.contains("Metric." + m.name())))
        .isEmpty();
    assertThat(all)
        .as("a meter is named in the list, not where it is used")
        .doesNotContain("\"fairlead.loop.turns")
        .doesNotContainPattern("(counter|timer|gauge|builder)\\(\\s*\"fairlead\\.");
  }
}
