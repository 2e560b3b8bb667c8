package dev.fairlead.work.serving.prometheus;

import dev.fairlead.kernel.egress.EgressSettings;
import java.time.Duration;
import java.time.InstantSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Provides the reader of metrics of model servers. */
@AutoConfiguration
@EnableConfigurationProperties(EgressSettings.class)
class PrometheusSignalsAutoConfiguration {
  private static final Duration LONGEST = Duration.ofSeconds(5);

  @Bean
  PrometheusSignals prometheusSignals(EgressSettings egress, ObjectProvider<InstantSource> clock) {
    return new PrometheusSignals(
        egress.operators(), clock.getIfAvailable(InstantSource::system), LONGEST);
  }
}
