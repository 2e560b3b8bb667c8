package dev.fairlead.fleet.cluster.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.AccountTokens;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.keyring.Secret;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tokens that are renewed, and the time of the renewal. */
class AccountTokenTest {
  private static final Instant ISSUED = Instant.parse("2030-01-01T00:00:00Z");

  /**
   * Fails when a token is renewed at another part of its life, or all clusters renew at the same
   * time.
   */
  @Test
  void tokenRenewalsAreSpreadBeforeTwoThirdsOfTheirLifetime() {
    AccountToken token =
        AccountToken.of(
                AccountTokens.connection(
                    AccountTokens.token(ISSUED, ISSUED.plus(Duration.ofHours(24)))))
            .orElseThrow();
    assertThat(token)
        .isEqualTo(
            new AccountToken(
                "fairlead-system", "fairlead", ISSUED, ISSUED.plus(Duration.ofHours(24))));
    List<Instant> times =
        IntStream.range(0, 1_000)
            .mapToObj(n -> token.renewAt(new ClusterId(new UUID(7, n))))
            .distinct()
            .sorted()
            .toList();
    assertThat(times)
        .hasSize(101)
        .startsWith(ISSUED.plus(Duration.ofMinutes(14 * 60 + 24)))
        .endsWith(ISSUED.plus(Duration.ofHours(16)));
    assertThat(token.late(ISSUED.plus(Duration.ofHours(20)).minusNanos(1))).isFalse();
    assertThat(token.late(ISSUED.plus(Duration.ofHours(20)))).isTrue();
    assertThat(token.left(ISSUED)).isEqualTo("expires in 1 days, at 2030-01-02T00:00:00Z");
    assertThat(token.left(ISSUED.plus(Duration.ofHours(20)))).startsWith("expires in 4 h 0 min");
    assertThat(token.left(ISSUED.plus(Duration.ofHours(24)))).startsWith("expired at 2030");
  }

  /** Fails when another credential, or a token without an end, counts as a renewable token. */
  @Test
  void otherCredentialTypesAreIgnored() {
    List<Secret> others =
        List.of(
            new Secret("opaque"),
            new Secret("a.%%%.c"),
            AccountTokens.of("{\"sub\":\"system:serviceaccount:a:b\",\"iat\":1}"),
            AccountTokens.of("{\"sub\":\"ana\",\"iat\":1,\"exp\":2}"));
    assertThat(others)
        .allSatisfy(
            token -> assertThat(AccountToken.of(AccountTokens.connection(token))).isEmpty());
    assertThat(AccountToken.of(new Connection.Simulated(List.of()))).isEmpty();
  }
}
