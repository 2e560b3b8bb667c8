package dev.fairlead.work.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class AttemptCredentialTest {
  private static final byte[] KEY = new byte[32];
  private static final byte[] OTHER = {1};

  private static AttemptCredential of(long attempt) {
    return new AttemptCredential(
        new TenantId(new UUID(1, 1)),
        new JobId(new UUID(1, 2)),
        new AttemptId(new UUID(1, attempt)));
  }

  @Test
  void credentialNamesItsAttempt() {
    String text = of(3).text(KEY).reveal();
    assertThat(text).startsWith(AttemptCredential.PREFIX);
    assertThat(AttemptCredential.read(text, KEY)).contains(of(3));
  }

  /** Fails when the seal is not compared, or omits an id. */
  @Test
  void credentialSignedWithAnotherKeyIsInvalid() {
    String third = of(3).text(KEY).reveal();
    String fourth = of(4).text(KEY).reveal();
    int seal = third.length() - 43;
    String swapped = fourth.substring(0, seal) + third.substring(seal);
    assertThat(AttemptCredential.read(swapped, KEY)).isEmpty();
    assertThat(AttemptCredential.read(third, OTHER)).isEmpty();
    assertThat(AttemptCredential.read(third + "A", KEY)).isEmpty();
    assertThat(AttemptCredential.read("", KEY)).isEmpty();
  }

  /** Fails when a log or a message can carry it by accident. */
  @Test
  void credentialIsNotPrinted() {
    assertThat(of(3).text(KEY)).hasToString("***");
  }
}
