package dev.fairlead.workload.service;

import dev.fairlead.workload.WorkloadTimeouts;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Times of attempts. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(WorkloadSettings.class)
class WorkloadConfiguration {
  @Bean
  WorkloadTimeouts workloadTimeouts(WorkloadSettings settings) {
    return WorkloadTimeouts.DEFAULT.keeping(settings.keepFailed(), settings.keepSucceeded());
  }
}
