package dev.fairlead.care.supply.webhook;

import dev.fairlead.care.supply.NodeProvisioner;
import dev.fairlead.kernel.egress.EgressSettings;
import dev.fairlead.kernel.keyring.SharedKey;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Provides {@link NodeProvisioner} by webhook. */
@AutoConfiguration
@EnableConfigurationProperties(EgressSettings.class)
class WebhookProvisionerAutoConfiguration {
  private static final Duration LONGEST = Duration.ofSeconds(10);

  @Bean
  NodeProvisioner nodeProvisioner(
      EgressSettings egress, ObjectProvider<SharedKey> key, ObjectProvider<InstantSource> clock) {
    return new WebhookProvisioner(
        egress.operators(),
        key.getIfAvailable(() -> purpose -> Optional.empty()),
        clock.getIfAvailable(InstantSource::system),
        LONGEST);
  }
}
