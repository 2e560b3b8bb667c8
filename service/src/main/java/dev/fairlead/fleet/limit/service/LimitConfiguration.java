package dev.fairlead.fleet.limit.service;

import dev.fairlead.fleet.limit.LimitSource;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.transaction.Transactions;
import java.time.Duration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Configures the read of limits in a separate thread. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(LimitSettings.class)
class LimitConfiguration {
  @Bean
  LimitSource limitSource(
      Transactions transactions, ConfigStore documents, LimitSettings settings) {
    return new CachedLimits(
        transactions,
        documents,
        settings.requestsPerMinute(),
        System::nanoTime,
        work -> Thread.ofVirtual().name("limits-reader").start(work),
        first -> first ? Duration.ofSeconds(5) : Duration.ofMillis(250));
  }
}
