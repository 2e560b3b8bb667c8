package dev.fairlead.people.token.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.people.token.TokenText;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class CreatedTokenResponseTest {
  /** Fails when the text of a new token is in the log, as Spring wrote it at DEBUG. */
  @Test
  void textFormContainsNoToken() {
    String token = TokenText.of(new byte[TokenText.BYTES]);
    TokenResponse details =
        new TokenResponse(
            "tok_1",
            "laptop",
            "ana",
            "project-member",
            null,
            null,
            Instant.EPOCH,
            "ana",
            null,
            Instant.EPOCH,
            null);
    assertThat(new TokenController.CreatedTokenResponse(token, details).toString())
        .contains("laptop")
        .doesNotContain(token, TokenText.PREFIX);
  }
}
