package dev.fairlead.work.workload.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SessionPassTest {
  private static final byte[] KEY = new byte[32];
  private static final Instant NOW = Instant.ofEpochSecond(1_000_000);
  private static final SessionPass PASS =
      new SessionPass(
          "p",
          new JobId(new UUID(1, 2)),
          new TenantId(new UUID(3, 4)),
          "ana@example.com",
          "proof",
          8888,
          "/?token=a",
          NOW.plusSeconds(60),
          NOW.plus(Duration.ofHours(2)));

  @Test
  void passIsReadWithItsKeyOnly() {
    String text = PASS.text(KEY);
    byte[] other = new byte[32];
    other[0] = 1;
    assertThat(SessionPass.read(text, KEY)).contains(PASS);
    assertThat(SessionPass.read(text, other)).isEmpty();
    assertThat(SessionPass.read("x" + text, KEY)).isEmpty();
    assertThat(SessionPass.read(text.replace(".", ""), KEY)).isEmpty();
    assertThat(SessionPass.read("", KEY)).isEmpty();
  }

  /** Fails when renewals extend a session without end, or the page's token stays in the cookie. */
  @Test
  void renewedPassExpiresWithTheSession() {
    SessionPass renewed = PASS.renewed(NOW.plus(Duration.ofHours(1)));
    assertThat(renewed.until()).isEqualTo(NOW.plus(Duration.ofHours(1)));
    assertThat(renewed.page()).isEmpty();
    assertThat(renewed.renewed(NOW.plus(Duration.ofHours(3))).until()).isEqualTo(PASS.end());
  }
}
