package dev.fairlead.job.service;

import dev.fairlead.idempotency.Idempotency;
import dev.fairlead.idempotency.IdempotencyStore;
import dev.fairlead.job.ExplanationStore;
import dev.fairlead.job.JobStore;
import dev.fairlead.job.JobWriter;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Beans of domain types that jobs need. */
@Configuration(proxyBeanMethods = false)
class JobConfiguration {
  @Bean
  JobWriter jobWriter(JobStore jobs, ExplanationStore explanations) {
    return new JobWriter(jobs, explanations, new TransitionJournal());
  }

  @Bean
  Idempotency oneEffect(IdempotencyStore store) {
    return new Idempotency(store);
  }
}
