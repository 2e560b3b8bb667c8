package dev.fairlead.care.health.dcgm.prometheus;

import dev.fairlead.kernel.egress.EgressSettings;
import java.time.Duration;
import java.time.InstantSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Provides the reader of series that show GPU faults. */
@AutoConfiguration
@EnableConfigurationProperties(EgressSettings.class)
class PrometheusFaultsAutoConfiguration {
  private static final Duration LONGEST = Duration.ofSeconds(10);

  @Bean
  PrometheusFaults prometheusFaults(EgressSettings egress, ObjectProvider<InstantSource> clock) {
    return new PrometheusFaults(
        egress.operators(), clock.getIfAvailable(InstantSource::system), LONGEST);
  }
}
