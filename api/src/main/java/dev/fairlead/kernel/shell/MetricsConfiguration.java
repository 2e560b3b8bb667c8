package dev.fairlead.kernel.shell;

import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.metric.MetricKind;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Sets the unit, description and buckets of each meter from the list of metrics. */
@Configuration(proxyBeanMethods = false)
public class MetricsConfiguration {
  @Bean
  public MeterFilter listedMetrics() {
    return new Listed();
  }

  private static final class Listed implements MeterFilter {
    @Override
    public Meter.Id map(Meter.Id id) {
      return Metric.of(id.getName()).map(metric -> described(id, metric)).orElse(id);
    }

    private static Meter.Id described(Meter.Id id, Metric metric) {
      String unit = metric.kind() == MetricKind.SECONDS ? "seconds" : id.getBaseUnit();
      return new Meter.Id(
          id.getName(), Tags.of(id.getTagsAsIterable()), unit, metric.meaning(), id.getType());
    }

    @Override
    public @Nullable DistributionStatisticConfig configure(
        Meter.Id id, DistributionStatisticConfig config) {
      Optional<Metric> metric = Metric.of(id.getName());
      if (metric.isEmpty() || metric.get().buckets().isEmpty()) {
        return config;
      }
      double[] bounds =
          metric.get().buckets().stream().mapToDouble(bound -> bound.toNanos()).toArray();
      return DistributionStatisticConfig.builder()
          .serviceLevelObjectives(bounds)
          .build()
          .merge(config);
    }
  }
}
