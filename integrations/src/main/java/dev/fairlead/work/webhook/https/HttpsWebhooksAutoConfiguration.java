package dev.fairlead.work.webhook.https;

import dev.fairlead.kernel.egress.EgressSettings;
import dev.fairlead.work.webhook.WebhookCalls;
import java.time.Duration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Provides {@link WebhookCalls} over HTTPS. */
@AutoConfiguration
@EnableConfigurationProperties(EgressSettings.class)
class HttpsWebhooksAutoConfiguration {
  private static final Duration LONGEST = Duration.ofSeconds(10);

  @Bean
  WebhookCalls webhookCalls(EgressSettings egress) {
    return new HttpsWebhooks(egress.receivers(), LONGEST);
  }
}
