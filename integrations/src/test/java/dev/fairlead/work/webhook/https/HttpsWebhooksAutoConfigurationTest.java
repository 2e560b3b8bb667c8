package dev.fairlead.work.webhook.https;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.webhook.WebhookCalls;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class HttpsWebhooksAutoConfigurationTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(HttpsWebhooksAutoConfiguration.class));

  /** Fails when owners of projects can send events to the networks of the clusters. */
  @Test
  void webhooksReachOnlyTheirAllowedNetworks() {
    runner
        .withPropertyValues(
            "fairlead.egress.allow=127.0.0.0/8", "fairlead.egress.webhooks=10.1.0.0/16")
        .run(context -> {
          WebhookCalls calls = context.getBean(WebhookCalls.class);
          assertThat(calls.refuses("https://127.0.0.1/hook", null))
              .get()
              .asString()
              .contains("fairlead.egress.webhooks");
          assertThat(calls.refuses("https://10.1.2.3/hook", null)).isEmpty();
        });
  }
}
