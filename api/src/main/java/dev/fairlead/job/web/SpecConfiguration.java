package dev.fairlead.job.web;

import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What an operator allows specs to say. */
@Configuration(proxyBeanMethods = false)
class SpecConfiguration {
  @Bean
  JobSpecReader jobSpecReader(
      @Value("${fairlead.placement.node-labels:}") List<String> nodeLabels) {
    return new JobSpecReader(nodeLabels);
  }
}
