package dev.fairlead.care.health.dcgm.prometheus;

import dev.fairlead.care.health.dcgm.SeriesReader;
import dev.fairlead.care.health.dcgm.SeriesReading;
import dev.fairlead.care.health.dcgm.SeriesRule;
import dev.fairlead.care.health.dcgm.SeriesTable;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.fleet.prometheus.InstantQueries;
import dev.fairlead.kernel.egress.EgressPolicy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Queries a Prometheus for the series of the DCGM exporter that show faults of GPUs: two queries
 * for all GPUs at one time within one deadline. The first has a value of each GPU that was scraped
 * recently, and the pod that uses it. The second has the values above 0 of the other series, which
 * most GPUs do not have. A series that is missing in a scrape retains its value while its GPU
 * counts as recently scraped. MIG instances count with their GPU.
 */
public final class PrometheusFaults implements SeriesReader {
  /** Older samples belong to a target that has gone, and are ignored. */
  private static final Duration FRESH = Duration.ofMinutes(3);

  private static final String EACH =
      "max by (__name__, UUID, " + String.join(", ", FaultSeries.MACHINES) + ") (%s)";

  private static final String EACH_WITH_POD =
      EACH.replace(") (%s)", ", " + String.join(", ", FaultSeries.HOLDERS) + ") (%s)");

  private static final String EVERY_GPU = everyGpu();
  private static final String ABOVE_0 = above0();

  private final InstantQueries queries;

  /**
   * @param most total duration of the queries of one reading
   */
  public PrometheusFaults(EgressPolicy egress, InstantSource clock, Duration most) {
    this.queries = new InstantQueries(egress, clock, most);
  }

  private static String everyGpu() {
    return SeriesTable.CURRENT.ofEveryGpu().names().stream()
        .map(name -> EACH_WITH_POD.formatted(recent(name)))
        .collect(Collectors.joining(" or "));
  }

  private static String above0() {
    SeriesRule every = SeriesTable.CURRENT.ofEveryGpu();
    String others =
        SeriesTable.CURRENT.rules().stream()
            .filter(rule -> !rule.equals(every))
            .flatMap(rule -> rule.names().stream())
            .collect(Collectors.joining("|", "{__name__=~\"", "\"}"));
    return EACH.formatted(recent(others) + " > 0");
  }

  /** Bridges a scrape without the series, which would otherwise look like a reset. */
  private static String recent(String series) {
    return "last_over_time(%s[%ds])".formatted(series, FRESH.toSeconds());
  }

  @Override
  public SeriesReading read(Prometheus prometheus) {
    return queries.within(
        until -> {
          List<FaultSeries> series =
              new ArrayList<>(queries.ask(prometheus, EVERY_GPU, until, FaultSeries::of));
          if (!series.isEmpty()) {
            /* A GPU whose target ends between the queries would look like one without faults. */
            double at = series.getFirst().at();
            series.addAll(queries.ask(prometheus, ABOVE_0, at, until, FaultSeries::of));
          }
          return new SeriesReading.Read(series.stream().map(FaultSeries::sample).toList());
        },
        SeriesReading.Unread::new);
  }
}
