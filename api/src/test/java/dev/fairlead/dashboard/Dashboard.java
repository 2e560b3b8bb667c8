package dev.fairlead.dashboard;

import dev.fairlead.kernel.metric.Label;
import dev.fairlead.kernel.metric.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The dashboards for Grafana: some for one question each, and three with one panel for each metric.
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

  /** Labels by which a viewer filters a dashboard, each with a metric that has its values. */
  private static final SortedMap<String, String> VARIABLES =
      new TreeMap<>(
          Map.of(
              "cluster", "fairlead_cluster_state",
              "queue", "fairlead_queue_pending",
              "tenant", "fairlead_queue_pending"));

  private final String title;

  Dashboard(String title) {
    this.title = title;
  }

  /**
   * One graph.
   *
   * @param meaning description shown next to the title
   * @param unit Grafana unit: {@code s}, {@code short}, {@code cps} (counts a second), {@code
   *     percentunit}
   */
  record Panel(
      String title, String meaning, String query, String unit, List<String> legend, Type type) {
    Panel(String title, String meaning, String query, String unit, List<String> legend) {
      this(title, meaning, query, unit, legend, Type.TIMESERIES);
    }

    Panel as(Type other) {
      return new Panel(title, meaning, query, unit, legend, other);
    }
  }

  /** Grafana's panel types by name. */
  enum Type {
    TIMESERIES,
    /** One number. */
    STAT,
    /** One ratio between 0 and 1. */
    GAUGE,
    /** A row for each series, with its labels. */
    TABLE,
    /** Buckets of a histogram over time. */
    HEATMAP;

    String grafana() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

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
    String title = title(metric);
    String series = metric.family() + selector(labels);
    return switch (metric.kind()) {
      case COUNTER ->
          new Panel(
              title + ", per second",
              metric.meaning(),
              grouped("sum", labels, rate(metric.family(), labels)),
              "cps",
              labels);
      case GAUGE ->
          new Panel(title, metric.meaning(), grouped("max", labels, series), "short", labels)
              .as(gauge(metric, labels));
      case SECONDS ->
          new Panel(title, metric.meaning(), grouped("max", labels, series), "s", labels)
              .as(labels.isEmpty() ? Type.STAT : Type.TIMESERIES);
      case TIMER -> duration(metric, title, labels);
    };
  }

  /** {@code fairlead.cluster.token.left} is "Cluster token left". */
  private static String title(Metric metric) {
    String words = metric.meter().replaceFirst("^fairlead\\.", "").replaceAll("[.-]", " ");
    String sentence = words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
    return sentence.replace("Gpus", "GPUs").replace("Api ", "API ");
  }

  private static Type gauge(Metric metric, List<String> labels) {
    if (metric.family().endsWith("_info")) {
      return Type.TABLE;
    }
    return labels.isEmpty() ? Type.STAT : Type.TIMESERIES;
  }

  /** Filters a metric by the variables that match its labels. */
  private static String selector(List<String> labels) {
    String matchers =
        VARIABLES.keySet().stream()
            .filter(labels::contains)
            .map(name -> name + "=~\"$" + name + "\"")
            .collect(Collectors.joining(","));
    return matchers.isEmpty() ? "" : "{" + matchers + "}";
  }

  private static String rate(String family, List<String> labels) {
    return "rate(" + family + selector(labels) + "[$__rate_interval])";
  }

  /**
   * A heat map of the buckets, with labels the 95th percentile, and the mean of a timer without
   * buckets.
   */
  private static Panel duration(Metric metric, String title, List<String> labels) {
    String family = metric.family();
    if (metric.buckets().isEmpty()) {
      String mean =
          grouped("sum", labels, rate(family + "_sum", labels))
              + " / "
              + grouped("sum", labels, rate(family + "_count", labels));
      return new Panel(title + ", mean duration", metric.meaning(), mean, "s", labels);
    }
    List<String> withBounds = new ArrayList<>(labels);
    withBounds.add("le");
    String buckets = grouped("sum", withBounds, rate(family + "_bucket", labels));
    if (labels.isEmpty()) {
      return new Panel(title + ", durations", metric.meaning(), buckets, "s", List.of("le"))
          .as(Type.HEATMAP);
    }
    return new Panel(
        title + ", 95th percentile",
        metric.meaning(),
        "histogram_quantile(0.95, " + buckets + ")",
        "s",
        labels);
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
                "Each has a runbook in docs/how-to/runbooks",
                "sum by (alertname) (ALERTS{alertname=~\"Fairlead.+\", alertstate=\"firing\"})",
                "short",
                List.of("alertname"))
            .as(Type.TABLE),
        new Panel(
                "Processes that answer",
                "Processes whose metrics could be read",
                "sum by (job) (up{job=~\".*fairlead.*\"})",
                "short",
                List.of("job"))
            .as(Type.STAT),
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
                List.of("cluster", "model"))
            .as(Type.GAUGE),
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

  /** The JSON that Grafana imports, identical for identical lists. */
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
    List<Panel> shown = panels();
    VARIABLES.forEach((name, metric) -> {
      if (shown.stream().anyMatch(panel -> panel.query().contains("$" + name))) {
        addVariable(variables.addObject(), name, metric);
      }
    });
    ObjectNode others = board.putArray("links").addObject();
    others.put("type", "dashboards").put("title", "Fairlead").putArray("tags").add("fairlead");
    others.put("asDropdown", true).put("includeVars", true).put("keepTime", true);
    ArrayNode graphs = board.putArray("panels");
    for (Panel panel : shown) {
      add(graphs.addObject(), graphs.size() - 1, panel);
    }
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(board) + "\n";
  }

  private static void addVariable(ObjectNode variable, String name, String metric) {
    variable.put("name", name).put("type", "query").put("multi", true).put("refresh", 2);
    variable.put("includeAll", true).put("allValue", ".*");
    variable.putObject("current").put("text", "All").put("value", "$__all");
    variable.putObject("datasource").put("type", "prometheus").put("uid", "${datasource}");
    variable.put("query", "label_values(" + metric + ", " + name + ")");
  }

  private static void add(ObjectNode graph, int number, Panel panel) {
    graph.put("id", number + 1).put("type", panel.type().grafana()).put("title", panel.title());
    graph.put("description", panel.meaning());
    graph
        .putObject("gridPos")
        .put("h", HEIGHT)
        .put("w", WIDTH)
        .put("x", number % 2 * WIDTH)
        .put("y", number / 2 * HEIGHT);
    graph.putObject("datasource").put("type", "prometheus").put("uid", "${datasource}");
    ObjectNode defaults = graph.putObject("fieldConfig").putObject("defaults");
    defaults.put("unit", panel.unit()).put("min", 0);
    if (panel.type() == Type.GAUGE) {
      defaults.put("max", 1);
    }
    ObjectNode target = graph.putArray("targets").addObject();
    target.put("refId", "A").put("expr", panel.query());
    if (panel.type() == Type.TABLE) {
      target.put("format", "table").put("instant", true);
    } else if (panel.type() == Type.HEATMAP) {
      target.put("format", "heatmap");
      graph.putObject("options").put("calculate", false).putObject("yAxis").put("unit", "s");
    }
    target.put(
        "legendFormat",
        panel.legend().isEmpty()
            ? panel.title()
            : panel.legend().stream()
                .map(label -> "{{" + label + "}}")
                .collect(Collectors.joining(" ")));
  }
}
