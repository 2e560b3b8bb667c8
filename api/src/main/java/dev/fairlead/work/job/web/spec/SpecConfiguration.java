package dev.fairlead.work.job.web.spec;

import dev.fairlead.fleet.limit.LimitSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Operator settings for job specs. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(PlacementSettings.class)
class SpecConfiguration {
  @Bean
  JobSpecReader jobSpecReader(PlacementSettings settings, LimitSource limits) {
    return new JobSpecReader(settings.nodeLabels(), limits);
  }
}
