package dev.fairlead.work.workload.service;

import dev.fairlead.care.health.quarantine.UnknownHolder;
import dev.fairlead.work.attempt.CheckpointLimit;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Durations of attempts, and limits that supervisors share. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(WorkloadSettings.class)
class WorkloadConfiguration {
  @Bean
  WorkloadTimeouts workloadTimeouts(WorkloadSettings settings) {
    return WorkloadTimeouts.DEFAULT
        .keeping(settings.keepFailed(), settings.keepSucceeded())
        .saving(settings.longestCheckpoint());
  }

  @Bean
  CheckpointLimit checkpointLimit(WorkloadSettings settings) {
    return new CheckpointLimit(settings.longestCheckpoint());
  }

  @Bean
  UnknownHolder unknownHolder(WorkloadSettings settings) {
    return new UnknownHolder(settings.unknownHolderAfter(), settings.unknownHolder());
  }
}
