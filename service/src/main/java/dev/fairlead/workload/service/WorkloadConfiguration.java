package dev.fairlead.workload.service;

import dev.fairlead.workload.WorkloadTimeouts;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Times of attempts. */
@Configuration(proxyBeanMethods = false)
class WorkloadConfiguration {
  @Bean
  WorkloadTimeouts workloadTimeouts(
      @Value("${fairlead.workload.keep-failed:10m}") Duration keepFailed,
      @Value("${fairlead.workload.keep-succeeded:2m}") Duration keepSucceeded) {
    return WorkloadTimeouts.DEFAULT.keeping(keepFailed, keepSucceeded);
  }
}
