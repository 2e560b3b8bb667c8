package dev.fairlead.dashboard;

import dev.fairlead.metric.Label;
import dev.fairlead.metric.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The dashboards for Grafana: some for one question each, and three that show one panel for each
 * metric of the list.
 */
enum Dashboard {
  OVERVIEW("Fairlead: overview"),
  SLO("Fairlead: what users are promised"),
  FLEET("Fairlead: GPU fleet"),
  JOB("Fairlead: one job"),
  QUEUES("Fairlead: queues and scheduling"),
  CLUSTERS("Fairlead: clusters and GPUs"),
  PROCESSES("Fairlead: processes and database");

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int SCHEMA = 39;
  private static final int WIDTH = 12;
  private static final int HEIGHT = 8;
  private final String title;

  Dashboard(String title) {
    this.title = title;
  }

  /**
   * One graph.
   *
   * @param meaning for people, shown behind its title
   * @param unit of Grafana: {@code s}, {@code short}, {@code cps} (counts a second), {@code
   *     percentunit}
   */
  record Panel(String title, String meaning, String query, String unit, List<String> legend) {}

  /** Name of its file in {@code deploy/grafana}. */
  String file() {
    return name().toLowerCase(Locale.ROOT) + ".json";
  }

  List<Panel> panels() {
    return switch (this) {
      case OVERVIEW -> overview();
      case SLO -> ComposedPanels.slo();
      case FLEET -> ComposedPanels.fleet();
      case JOB -> ComposedPanels.job();
      case QUEUES, CLUSTERS, PROCESSES ->
          Stream.of(Metric.values())
              .filter(metric -> of(metric) == this)
              .map(Dashboard::panel)
              .toList();
    };
  }

  private static Dashboard of(Metric metric) {
    String name = metric.family();
    if (name.matches("fairlead_(queue|schedul|plan|evictions|attempt|forecast|world|snapshot).*")) {
      return name.contains("set_aside") ? CLUSTERS : QUEUES;
    }
    return name.matches(
            "fairlead_(campaign|cluster|gpu|health|repair|supply|divergences|launches).*")
        ? CLUSTERS
        : PROCESSES;
  }

  private static Panel panel(Metric metric) {
    List<String> labels = metric.labels().stream().map(Label::key).toList();
    String family = metric.family();
    return switch (metric.kind()) {
      case COUNTER ->
          new Panel(
              metric.meter(),
              metric.meaning(),
              grouped("sum", labels, "rate(" + family + "[$__rate_interval])"),
              "cps",
              labels);
      case GAUGE ->
          new Panel(
              metric.meter(), metric.meaning(), grouped("max", labels, family), "short", labels);
      case SECONDS ->
          new Panel(metric.meter(), metric.meaning(), grouped("max", labels, family), "s", labels);
      case TIMER ->
          new Panel(metric.meter(), metric.meaning(), duration(metric, labels), "s", labels);
    };
  }

  /** The 95th percentile where there are buckets, the mean where there are none. */
  private static String duration(Metric metric, List<String> labels) {
    String family = metric.family();
    if (metric.buckets().isEmpty()) {
      return grouped("sum", labels, "rate(" + family + "_sum[$__rate_interval])")
          + " / "
          + grouped("sum", labels, "rate(" + family + "_count[$__rate_interval])");
    }
    List<String> withBounds = new ArrayList<>(labels);
    withBounds.add("le");
    String buckets = grouped("sum", withBounds, "rate(" + family + "_bucket[$__rate_interval])");
    return "histogram_quantile(0.95, " + buckets + ")";
  }

  private static String grouped(String by, List<String> labels, String of) {
    return labels.isEmpty()
        ? by + "(" + of + ")"
        : by + " by (" + String.join(", ", labels) + ") (" + of + ")";
  }

  private static List<Panel> overview() {
    return List.of(
        new Panel(
            "Alerts that fire",
            "Each has a runbook in docs/runbooks",
            "sum by (alertname) (ALERTS{alertname=~\"Fairlead.+\", alertstate=\"firing\"})",
            "short",
            List.of("alertname")),
        new Panel(
            "Processes that answer",
            "Processes whose metrics could be read",
            "sum by (job) (up{job=~\".*fairlead.*\"})",
            "short",
            List.of("job")),
        new Panel(
            "Submits that fail",
            "Part of the submits that were answered with an error of the server",
            "fairlead:submit_errors:ratio_rate5m",
            "percentunit",
            List.of()),
        new Panel(
            "Slow submits",
            "Part of the submits that took more than a second",
            "fairlead:submit_slow:ratio_rate5m",
            "percentunit",
            List.of()),
        new Panel(
            "Slow starts",
            "Part of the attempts that took more than five minutes from placement to run",
            "fairlead:start_slow:ratio_rate15m",
            "percentunit",
            List.of()),
        new Panel(
            "GPUs in use",
            "Part of the GPUs that jobs hold",
            "fairlead:gpus_allocated:ratio",
            "percentunit",
            List.of("cluster", "model")),
        new Panel(
            "Connections to the database",
            "Part of the connections of each process that are in use",
            "max by (instance, pool) (hikaricp_connections_active)"
                + " / max by (instance, pool) (hikaricp_connections_max)",
            "percentunit",
            List.of("instance", "pool")),
        new Panel(
            "Clusters without calls",
            "1 while the breaker in front of an API server holds back all calls",
            "max by (name) (resilience4j_circuitbreaker_state{state=\"open\"})",
            "short",
            List.of("name")));
  }

  /** As Grafana imports it; the same text for the same list. */
  String json() {
    ObjectNode board = JSON.createObjectNode();
    board.put("title", title).put("uid", "fairlead-" + name().toLowerCase(Locale.ROOT));
    board.putArray("tags").add("fairlead");
    board.put("schemaVersion", SCHEMA).put("refresh", "30s").put("timezone", "browser");
    board.putObject("time").put("from", "now-6h").put("to", "now");
    ArrayNode variables = board.putObject("templating").putArray("list");
    ObjectNode source = variables.addObject();
    source.put("name", "datasource").put("type", "datasource").put("query", "prometheus");
    if (this == JOB) {
      ObjectNode attempt = variables.addObject();
      attempt.put("name", "attempt").put("type", "textbox").put("query", "");
      attempt.put("label", "Attempt: its id without att_");
    }
    ArrayNode graphs = board.putArray("panels");
    for (Panel panel : panels()) {
      add(graphs.addObject(), graphs.size() - 1, panel);
    }
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(board) + "\n";
  }

  private static void add(ObjectNode graph, int number, Panel panel) {
    graph.put("id", number + 1).put("type", "timeseries").put("title", panel.title());
    graph.put("description", panel.meaning());
    graph
        .putObject("gridPos")
        .put("h", HEIGHT)
        .put("w", WIDTH)
        .put("x", number % 2 * WIDTH)
        .put("y", number / 2 * HEIGHT);
    graph.putObject("datasource").put("type", "prometheus").put("uid", "${datasource}");
    graph.putObject("fieldConfig").putObject("defaults").put("unit", panel.unit()).put("min", 0);
    ObjectNode target = graph.putArray("targets").addObject();
    target.put("refId", "A").put("expr", panel.query());
    target.put(
        "legendFormat",
        panel.legend().isEmpty()
            ? panel.title()
            : panel.legend().stream()
                .map(label -> "{{" + label + "}}")
                .collect(Collectors.joining(" ")));
  }
}
