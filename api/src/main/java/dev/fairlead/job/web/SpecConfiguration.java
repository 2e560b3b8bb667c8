package dev.fairlead.job.web;

import dev.fairlead.limit.LimitSource;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What an operator allows specs to say. */
@Configuration(proxyBeanMethods = false)
class SpecConfiguration {
  @Bean
  JobSpecReader jobSpecReader(
      @Value("${fairlead.placement.node-labels:}") List<String> nodeLabels, LimitSource limits) {
    return new JobSpecReader(nodeLabels, limits);
  }
}
