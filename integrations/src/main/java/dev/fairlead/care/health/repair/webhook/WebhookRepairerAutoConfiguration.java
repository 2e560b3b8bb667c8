package dev.fairlead.care.health.repair.webhook;

import dev.fairlead.care.health.repair.RepairerCalls;
import dev.fairlead.kernel.egress.EgressSettings;
import dev.fairlead.kernel.egress.SignedHttps;
import dev.fairlead.kernel.keyring.SharedKey;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Provides {@link RepairerCalls} by webhook. */
@AutoConfiguration
@EnableConfigurationProperties(EgressSettings.class)
class WebhookRepairerAutoConfiguration {
  private static final Duration LONGEST = Duration.ofSeconds(10);

  @Bean
  RepairerCalls repairerCalls(
      EgressSettings egress, ObjectProvider<SharedKey> key, ObjectProvider<InstantSource> clock) {
    return new WebhookRepairer(
        new SignedHttps(
            egress.operators(),
            key.getIfAvailable(() -> purpose -> Optional.empty()),
            clock.getIfAvailable(InstantSource::system),
            LONGEST,
            "the repairer"));
  }
}
