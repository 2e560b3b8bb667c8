package dev.fairlead.money.efficiency.prometheus;

import dev.fairlead.kernel.egress.EgressSettings;
import java.time.Duration;
import java.time.InstantSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Provides the reader of GPU metrics. */
@AutoConfiguration
@EnableConfigurationProperties(EgressSettings.class)
class PrometheusReaderAutoConfiguration {
  private static final Duration LONGEST = Duration.ofSeconds(10);

  @Bean
  PrometheusReader prometheusReader(EgressSettings egress, ObjectProvider<InstantSource> clock) {
    return new PrometheusReader(
        egress.operators(), clock.getIfAvailable(InstantSource::system), LONGEST);
  }
}
