package dev.fairlead.work.workload.simulation;

import java.time.InstantSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Provides simulated clusters to applications with this module. */
@AutoConfiguration
@EnableConfigurationProperties(SimulationSettings.class)
public class SimulationAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  SimulatedConnector simulatedConnector(
      ObjectProvider<InstantSource> clock, SimulationSettings settings) {
    return SimulatedConnector.onWallTime(clock.getIfUnique(InstantSource::system), settings.seed());
  }
}
