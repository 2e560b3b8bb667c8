package dev.fairlead.work.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

class WebhookSignatureTest {
  private static final byte[] SECRET =
      Base64.getDecoder().decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");

  /** Fails when a receiver that uses a library of Standard Webhooks refuses the signature. */
  @Test
  void signatureMatchesStandardWebhooks() {
    assertThat(
            WebhookSignature.headers(
                "msg_p5jXN8AQM9LWM0D4loKWxJek",
                Instant.ofEpochSecond(1_614_265_330),
                "{\"test\": 2432232314}".getBytes(UTF_8),
                List.of(SECRET)))
        .containsEntry("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        .containsEntry("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek")
        .containsEntry("webhook-timestamp", "1614265330");
    assertThat(WebhookSignature.text(SECRET)).isEqualTo("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  }
}
