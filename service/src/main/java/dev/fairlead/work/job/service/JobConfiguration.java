package dev.fairlead.work.job.service;

import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.IdempotencyStore;
import dev.fairlead.work.job.store.ExplanationStore;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Beans of domain types for jobs. */
@Configuration(proxyBeanMethods = false)
class JobConfiguration {
  @Bean
  JobWriter jobWriter(JobStore jobs, ExplanationStore explanations) {
    return new JobWriter(jobs, explanations, new TransitionJournal());
  }

  @Bean
  Idempotency idempotency(IdempotencyStore store) {
    return new Idempotency(store);
  }
}
