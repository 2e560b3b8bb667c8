package dev.fairlead.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.metric.Label;
import dev.fairlead.kernel.metric.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** With {@code -Dfairlead.update=true} the test writes the files that it otherwise compares. */
@Tag("generated-docs")
class DashboardsTest {
  private static final Path ROOT = Path.of(System.getProperty("fairlead.root", ".."));
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Set<String> WORDS =
      Set.of(
          "sum",
          "max",
          "min",
          "avg",
          "count",
          "rate",
          "avg_over_time",
          "topk",
          "histogram_quantile");

  /** Of the DCGM exporter, by its default list of counters. */
  private static final Set<String> DCGM =
      Set.of(
          "DCGM_FI_DEV_GPU_UTIL",
          "DCGM_FI_DEV_FB_USED",
          "DCGM_FI_DEV_FB_FREE",
          "DCGM_FI_DEV_POWER_USAGE",
          "DCGM_FI_DEV_GPU_TEMP",
          "DCGM_FI_DEV_XID_ERRORS");

  private static final Pattern GROUPING = Pattern.compile("\\bby \\(([^)]*)\\)");
  private static final Pattern NAME = Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]*");

  private static String committed(Dashboard board) throws IOException {
    return Files.readString(ROOT.resolve("deploy/grafana").resolve(board.file()));
  }

  private static List<String> queries() throws IOException {
    List<String> queries = new ArrayList<>();
    for (Dashboard board : Dashboard.values()) {
      for (JsonNode panel : JSON.readTree(committed(board)).path("panels")) {
        queries.add(panel.at("/targets/0/expr").asString());
      }
    }
    return queries;
  }

  /** Metrics of a query: its text without labels, ranges and functions. */
  private static Set<String> asked(String query) {
    String bare = GROUPING.matcher(query).replaceAll("").replaceAll("\\{[^}]*}|\\[[^\\]]*]", "");
    Set<String> names =
        NAME.matcher(bare)
            .results()
            .map(m -> m.group())
            .collect(Collectors.toCollection(TreeSet::new));
    names.removeAll(WORDS);
    return names;
  }

  private static Set<String> exported(Metric metric) {
    return switch (metric.type()) {
      case "summary" -> parts(metric, "_count", "_sum", "_max");
      case "histogram" -> parts(metric, "_count", "_sum", "_max", "_bucket");
      default -> Set.of(metric.family());
    };
  }

  private static Set<String> parts(Metric metric, String... suffixes) {
    return Stream.of(suffixes).map(s -> metric.family() + s).collect(Collectors.toSet());
  }

  /** Exported metrics, recorded rules, and metrics that Prometheus adds. */
  private static Set<String> known() throws IOException {
    Set<String> known = new TreeSet<>(DCGM);
    known.add("ALERTS");
    Stream.of(Metric.values()).forEach(metric -> known.addAll(exported(metric)));
    found("- record: (\\S+)", "deploy/prometheus/rules.yaml").forEach(known::add);
    found("\\| `((?:hikaricp|resilience4j|jvm|process)_\\w+|up)` \\|", "docs/reference/metrics.md")
        .forEach(known::add);
    return known;
  }

  private static Stream<String> found(String pattern, String file) throws IOException {
    return Pattern.compile(pattern)
        .matcher(Files.readString(ROOT.resolve(file)))
        .results()
        .map(match -> match.group(1));
  }

  @ParameterizedTest
  @EnumSource
  void committedDashboardsMatchTheList(Dashboard board) throws IOException {
    if (Boolean.getBoolean("fairlead.update")) {
      Files.writeString(ROOT.resolve("deploy/grafana").resolve(board.file()), board.json());
    }

    assertThat(committed(board))
        .as("deploy/grafana is out of date: run `make docs` and commit it")
        .isEqualTo(board.json());
  }

  /** Fails when a query uses a renamed metric: its panel would be empty forever. */
  @Test
  void eachQueryUsesExistingMetrics() throws IOException {
    Set<String> known = known();
    assertThat(queries())
        .allSatisfy(query -> assertThat(asked(query)).as(query).isNotEmpty().isSubsetOf(known));
  }

  // Fails when a panel has the name of a metric as its title, or when all panels are lines.
  @Test
  void panelsHaveReadableTitlesAndMatchingTypes() throws IOException {
    Set<String> kinds = new TreeSet<>();
    for (Dashboard board : Dashboard.values()) {
      for (JsonNode panel : JSON.readTree(committed(board)).path("panels")) {
        assertThat(panel.path("title").asString()).doesNotContain("fairlead.");
        kinds.add(panel.path("type").asString());
      }
    }
    assertThat(kinds).containsExactly("gauge", "heatmap", "stat", "table", "timeseries");
  }

  // Fails when no panel uses a variable of the dashboard, or a query uses an undefined variable.
  @Test
  void everyVariableIsQueriedAndEveryQueriedVariableExists() throws IOException {
    for (Dashboard board : Dashboard.values()) {
      JsonNode tree = JSON.readTree(committed(board));
      String queries = tree.path("panels").toString();
      Set<String> names = new TreeSet<>();
      tree.at("/templating/list").forEach(one -> names.add(one.path("name").asString()));
      for (String name : List.of("cluster", "queue", "tenant")) {
        assertThat(names.contains(name)).isEqualTo(queries.contains("$" + name));
      }
    }
  }

  @Test
  void queryForAMissingMetricIsDetected() throws IOException {
    String broken = "sum by (queue) (rate(fairlead_queue_pendin{queue=\"a\"}[5m])) / max(up)";
    assertThat(asked(broken)).containsExactly("fairlead_queue_pendin", "up");
    assertThat(known()).contains("up").doesNotContain("fairlead_queue_pendin");
  }

  /**
   * Fails when a query groups by a label that its metric does not have: all series would merge into
   * one line.
   */
  @Test
  void eachQueryGroupsByLabelsOfItsMetric() throws IOException {
    Map<String, Set<String>> labels = new TreeMap<>();
    for (Metric metric : Metric.values()) {
      Set<String> keys =
          Stream.concat(metric.labels().stream().map(Label::key), Stream.of("le"))
              .collect(Collectors.toSet());
      exported(metric).forEach(name -> labels.put(name, keys));
    }
    for (String query : queries()) {
      Set<String> asked = asked(query);
      if (labels.keySet().containsAll(asked)) {
        GROUPING
            .matcher(query)
            .results()
            .flatMap(match -> Stream.of(match.group(1).split(", ")))
            .forEach(key ->
                assertThat(asked)
                    .as(query + " by " + key)
                    .allSatisfy(name -> assertThat(labels.get(name)).contains(key)));
      }
    }
  }

  @Test
  void eachMetricHasAPanel() throws IOException {
    Set<String> asked =
        queries().stream().flatMap(query -> asked(query).stream()).collect(Collectors.toSet());
    assertThat(Metric.values())
        .allSatisfy(metric -> assertThat(exported(metric)).containsAnyElementsOf(asked));
  }
}
