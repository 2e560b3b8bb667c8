package dev.fairlead.work.workload.slurm;

import dev.fairlead.kernel.egress.EgressSettings;
import java.time.Duration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Provides the connector for Slurm clusters. */
@AutoConfiguration
@EnableConfigurationProperties(EgressSettings.class)
class SlurmAutoConfiguration {
  private static final Duration LONGEST = Duration.ofSeconds(10);

  @Bean
  SlurmConnector slurmConnector(EgressSettings egress) {
    return new SlurmConnector(egress.operators(), LONGEST);
  }
}
