package dev.fairlead.work.serving.prometheus;

import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.fleet.prometheus.InstantQueries;
import dev.fairlead.fleet.prometheus.QuerySeries;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.SafeHttps;
import dev.fairlead.kernel.egress.ServerUrl;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.serving.signal.Signal;
import dev.fairlead.work.serving.signal.SignalReader;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.SequencedSet;
import java.util.SortedMap;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/**
 * Runs one query per signal for all pods of Fairlead. The target sets the label {@code pod}. A
 * metric of a server with a label of this name is renamed by the scraper.
 */
public final class PrometheusSignals implements SignalReader {
  /** The name is a matcher, because some names, such as {@code on}, are words of PromQL. */
  private static final String PODS =
      "{__name__=\"%s\",pod=~\"" + ObjectNames.PREFIX + ".+\",exported_pod=\"\"}";

  private static final int LONGEST_PROBLEM = 200;

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
  public Answer read(Prometheus prometheus, SequencedSet<Signal> signals) {
    return queries.within(
        until -> {
          SortedMap<Signal, SortedMap<String, Double>> values = new TreeMap<>();
          IOException failed = null;
          for (Signal signal : signals) {
            try {
              values.put(signal, pods(prometheus, signal, until));
            } catch (IOException refused) { // read the other metrics
              failed = failed == null ? refused : failed;
              if (System.nanoTime() - until >= 0) {
                break;
              }
            }
          }
          if (failed == null) {
            return new Answer(values, "");
          }
          if (values.isEmpty()) {
            throw failed;
          }
          return new Answer(
              values, SafeHttps.brief(String.valueOf(failed.getMessage()), LONGEST_PROBLEM));
        },
        why -> new Answer(new TreeMap<>(), why));
  }

  private SortedMap<String, Double> pods(Prometheus prometheus, Signal signal, long until)
      throws IOException, GeneralSecurityException, ServerUrl.Refused, EgressPolicy.Refused {
    SortedMap<String, Double> pods = new TreeMap<>();
    for (Series one : queries.ask(prometheus, query(signal), until, Series::of)) {
      if (Double.isFinite(one.value())) {
        pods.put(one.pod(), one.value());
      }
    }
    return pods;
  }

  private static String query(Signal signal) {
    String series = PODS.formatted(signal.series());
    return switch (signal.of()) {
      case SUM -> "sum by (pod) (%s)".formatted(series);
      case AVG -> "avg by (pod) (%s)".formatted(series);
      case MAX -> "max by (pod) (%s)".formatted(series);
      case RATE -> "sum by (pod) (rate(%s[1m]))".formatted(series);
    };
  }
}
