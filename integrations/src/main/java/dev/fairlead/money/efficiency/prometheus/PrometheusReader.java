package dev.fairlead.money.efficiency.prometheus;

import dev.fairlead.fleet.cluster.connection.AddressCheck;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.fleet.prometheus.InstantQueries;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.SafeHttps;
import dev.fairlead.money.efficiency.MetricsReader;
import dev.fairlead.money.efficiency.MetricsReading;
import dev.fairlead.money.efficiency.PodUse;
import dev.fairlead.work.attempt.ObjectNames;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Queries a Prometheus over HTTPS for the DCGM exporter's metrics of Fairlead's pods: three queries
 * within one deadline, each with a bounded response. The exporter's labels {@code pod} and {@code
 * namespace} name the pod of a GPU. If the scraper does not honor them, they are {@code
 * exported_pod} and {@code exported_namespace}.
 */
final class PrometheusReader implements MetricsReader, AddressCheck {
  private static final int LONGEST_NAME = 253;
  private static final double MOST_PERCENT = 100;

  /** Maximum for one GPU, in MiB: 16 TiB. */
  private static final double MOST_MEMORY = 16 * 1024 * 1024;

  /** Maximum for the GPUs of one pod. */
  private static final double MOST_WATTS = 100_000;

  private static final String OURS = "\"" + ObjectNames.PREFIX + ".+\"";
  private static final String HONORED = "pod=~" + OURS;

  /** Excludes series scraped from a pod of a job, which could report on the pods of others. */
  private static final String RENAMED = "exported_pod=~" + OURS + ",pod!~" + OURS;

  /** Partitioned GPUs (MIG) have no utilisation, only the active time of their engine. */
  private static final String UTILISATION =
      each("avg", "avg_over_time(DCGM_FI_DEV_GPU_UTIL{%s}[2m])")
          + " or "
          + each("avg", "100 * avg_over_time(DCGM_FI_PROF_GR_ENGINE_ACTIVE{%s}[2m])");

  private static final String MEMORY = each("max", "max_over_time(DCGM_FI_DEV_FB_USED{%s}[2m])");

  /** The counter is in mJ. */
  private static final String WATTS =
      each("sum", "rate(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{%s}[2m]) / 1000")
          + " or "
          + each("sum", "avg_over_time(DCGM_FI_DEV_POWER_USAGE{%s}[2m])");

  private final EgressPolicy egress;
  private final InstantQueries queries;

  /**
   * @param most total duration of the queries of one reading
   */
  PrometheusReader(EgressPolicy egress, InstantSource clock, Duration most) {
    this.egress = egress;
    this.queries = new InstantQueries(egress, clock, most);
  }

  private static String each(String sum, String inner) {
    return "%s by (namespace, pod) (%s) or %s by (exported_namespace, exported_pod) (%s)"
        .formatted(sum, inner.formatted(HONORED), sum, inner.formatted(RENAMED));
  }

  private record Pod(String namespace, String name) {}

  @Override
  public Optional<String> refuses(Prometheus prometheus) {
    return Optional.ofNullable(SafeHttps.refusal(prometheus.url(), prometheus.caData(), egress));
  }

  @Override
  public MetricsReading read(Prometheus prometheus) {
    return queries.within(
        until -> {
          Values utilisation = new Values(MOST_PERCENT);
          Values memory = new Values(MOST_MEMORY);
          Values watts = new Values(MOST_WATTS);
          utilisation.add(queries.ask(prometheus, UTILISATION, until, Series::of));
          memory.add(queries.ask(prometheus, MEMORY, until, Series::of));
          watts.add(queries.ask(prometheus, WATTS, until, Series::of));
          return new MetricsReading.Read(
              uses(utilisation, memory, watts), utilisation.bad + memory.bad + watts.bad);
        },
        MetricsReading.Unread::new);
  }

  private static List<PodUse> uses(Values utilisation, Values memory, Values watts) {
    List<PodUse> uses = new ArrayList<>();
    utilisation.of.forEach((pod, percent) -> {
      Double peak = memory.of.get(pod);
      Long mib = peak == null ? null : (Long) Math.round(peak);
      uses.add(new PodUse(pod.namespace(), pod.name(), percent, mib, watts.of.get(pod)));
    });
    return uses;
  }

  /** The values of one query, by pod. Impossible values are counted and dropped. */
  private static final class Values {
    private final Map<Pod, Double> of = new HashMap<>();
    private final double highest;
    private int bad;

    Values(double highest) {
      this.highest = highest;
    }

    void add(List<Series> series) {
      for (Series one : series) {
        @Nullable Double before =
            isPossible(one)
                ? of.putIfAbsent(new Pod(one.namespace(), one.pod()), one.value())
                : Double.valueOf(one.value());
        bad += before == null ? 0 : 1;
      }
    }

    private boolean isPossible(Series one) {
      return one.value() >= 0
          && one.value() <= highest
          && isName(one.namespace())
          && isName(one.pod());
    }

    private static boolean isName(String text) {
      return text.length() <= LONGEST_NAME && text.matches("[a-z0-9]([a-z0-9.-]*[a-z0-9])?");
    }
  }
}
