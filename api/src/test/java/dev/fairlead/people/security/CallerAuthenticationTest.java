package dev.fairlead.people.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptCredential;
import dev.fairlead.work.attempt.AttemptId;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CallerAuthenticationTest {
  private static String name(int tenant, int job, int attempt) {
    AttemptCredential credential =
        new AttemptCredential(
            new TenantId(new UUID(1, tenant)),
            new JobId(new UUID(2, job)),
            new AttemptId(new UUID(3, attempt)));
    return CallerAuthentication.of(credential).getName();
  }

  /** Fails when each element of an array has a separate rate limit: they evict all other limits. */
  @Test
  void attemptsOfOneJobShareOneRateLimit() {
    assertThat(name(1, 1, 1)).isEqualTo(name(1, 1, 2)).isNotEqualTo(name(1, 2, 3));
    assertThat(name(1, 1, 1)).startsWith(new TenantId(new UUID(1, 1)).text() + "/");
  }
}
