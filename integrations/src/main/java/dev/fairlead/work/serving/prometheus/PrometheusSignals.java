package dev.fairlead.work.serving.prometheus;

import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.fleet.prometheus.InstantQueries;
import dev.fairlead.fleet.prometheus.QuerySeries;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.serving.signal.Signal;
import dev.fairlead.work.serving.signal.SignalReader;
import java.time.Duration;
import java.time.InstantSource;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/**
 * Asks one query for each signal, for all pods of Fairlead together. The target sets the label
 * {@code pod}. A metric of a server with a label of this name is renamed by the scraper.
 */
public final class PrometheusSignals implements SignalReader {
  private static final String PODS = "{pod=~\"" + ObjectNames.PREFIX + ".+\",exported_pod=\"\"}";

  private final InstantQueries queries;

  /**
   * @param most total duration of the queries of one reading
   */
  public PrometheusSignals(EgressPolicy egress, InstantSource clock, Duration most) {
    this.queries = new InstantQueries(egress, clock, most);
  }

  private record Series(String pod, double at, double value) implements QuerySeries {
    static Series of(JsonNode series) {
      return new Series(
          series.path("metric").path("pod").asString(""),
          QuerySeries.at(series),
          QuerySeries.value(series));
    }
  }

  @Override
  public Answer read(Prometheus prometheus, SortedSet<Signal> signals) {
    return queries.within(
        until -> {
          SortedMap<Signal, SortedMap<String, Double>> values = new TreeMap<>();
          for (Signal signal : signals) {
            SortedMap<String, Double> pods = new TreeMap<>();
            for (Series one : queries.ask(prometheus, query(signal), until, Series::of)) {
              if (Double.isFinite(one.value())) {
                pods.put(one.pod(), one.value());
              }
            }
            values.put(signal, pods);
          }
          return new Answer(values, "");
        },
        why -> new Answer(new TreeMap<>(), why));
  }

  private static String query(Signal signal) {
    String series = signal.series() + PODS;
    return switch (signal.of()) {
      case SUM -> "sum by (pod) (%s)".formatted(series);
      case AVG -> "avg by (pod) (%s)".formatted(series);
      case MAX -> "max by (pod) (%s)".formatted(series);
      case RATE -> "sum by (pod) (rate(%s[1m]))".formatted(series);
    };
  }
}
