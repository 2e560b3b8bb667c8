package dev.fairlead.workload.simulation;

import java.time.InstantSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Offers simulated clusters to whoever has this module. {@code fairlead.simulation.seed}: 0. */
@AutoConfiguration
public class SimulationAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  SimulatedConnector simulatedConnector(
      ObjectProvider<InstantSource> clock, @Value("${fairlead.simulation.seed:0}") long seed) {
    return SimulatedConnector.onWallTime(clock.getIfUnique(InstantSource::system), seed);
  }
}
