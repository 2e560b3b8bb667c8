package dev.fairlead.limit.service;

import dev.fairlead.limit.LimitSource;
import dev.fairlead.limit.LimitStore;
import dev.fairlead.transaction.Transactions;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Reads limits in a thread of their own. */
@Configuration(proxyBeanMethods = false)
class LimitConfiguration {
  @Bean
  LimitSource limitSource(
      Transactions transactions,
      LimitStore limits,
      @Value("${fairlead.api.requests-per-minute:30000}") int requestsPerMinute) {
    return new CachedLimits(
        transactions,
        limits,
        requestsPerMinute,
        System::nanoTime,
        work -> Thread.ofVirtual().name("limits-reader").start(work),
        first -> first ? Duration.ofSeconds(5) : Duration.ofMillis(250));
  }
}
