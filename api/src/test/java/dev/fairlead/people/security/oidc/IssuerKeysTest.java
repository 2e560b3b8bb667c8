package dev.fairlead.people.security.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class IssuerKeysTest {
  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger reads = new AtomicInteger();
  private volatile boolean away;
  private volatile String published = "first";
  private final IssuerKeys keys = new IssuerKeys(this::read, nanos::get);

  private JWKSet read() throws IOException {
    reads.incrementAndGet();
    if (away) {
      throw new IOException("away");
    }
    return new JWKSet(new OctetSequenceKey.Builder(new byte[32]).keyID(published).build());
  }

  private List<JWK> named(String id) throws KeySourceException {
    return keys.get(new JWKSelector(new JWKMatcher.Builder().keyID(id).build()), null);
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  /** Fails when each unknown name causes a query of the issuer. */
  @Test
  void unknownKeysAreFetchedAtMostEveryTenSeconds() throws KeySourceException {
    for (int i = 0; i < 100; i++) {
      assertThat(named("guess-" + i)).isEmpty();
    }
    assertThat(reads).hasValue(1);
    published = "second";
    assertThat(named("second")).isEmpty();

    pass(IssuerKeys.BETWEEN);

    assertThat(named("second")).hasSize(1);
    assertThat(reads).hasValue(2);
  }

  /**
   * Fails when an unreachable issuer blocks users with known keys, or permits others to guess keys.
   */
  @Test
  void knownKeysRemainValidForADayWhileTheIssuerIsUnavailable() throws KeySourceException {
    assertThat(named("first")).hasSize(1);
    away = true;
    pass(IssuerKeys.BETWEEN);

    assertThatThrownBy(() -> named("second")).isInstanceOf(KeySourceException.class);
    assertThat(named("first")).hasSize(1);
    pass(IssuerKeys.KEPT);
    assertThatThrownBy(() -> named("first")).isInstanceOf(KeySourceException.class);
    away = false;
    pass(IssuerKeys.BETWEEN);
    assertThat(named("first")).hasSize(1);
  }

  /** Fails when keys are read only once: a revoked key would be accepted forever. */
  @Test
  void revokedKeyExpiresAfterFifteenMinutes() throws KeySourceException {
    assertThat(named("first")).hasSize(1);
    published = "second";
    pass(IssuerKeys.FRESH);

    assertThat(named("first")).as("read aside meanwhile").hasSize(1);

    await().atMost(Duration.ofSeconds(60)).until(() -> named("first").isEmpty());
    assertThat(reads).hasValue(2);
  }
}
