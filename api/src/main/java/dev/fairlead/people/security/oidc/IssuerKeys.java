package dev.fairlead.people.security.oidc;

import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.SecurityContext;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The issuer's keys. They are read when a token names an unknown key, at most every 10 s regardless
 * of the number of tokens, and every 15 min so that a withdrawn key expires. Known keys remain
 * valid for a day while the issuer is unreachable.
 */
final class IssuerKeys implements JWKSource<SecurityContext> {
  static final Duration BETWEEN = Duration.ofSeconds(10);
  static final Duration FRESH = Duration.ofMinutes(15);
  static final Duration KEPT = Duration.ofHours(24);
  private static final Logger LOG = LoggerFactory.getLogger(IssuerKeys.class);
  private final Reader reader;
  private final LongSupplier nanos;
  private final AtomicBoolean refreshing = new AtomicBoolean();
  private volatile @Nullable Known known;
  private @Nullable Long triedAtNanos;
  private boolean away;

  /** Reads the keys that the issuer currently publishes. */
  interface Reader {
    JWKSet read() throws IOException;
  }

  private record Known(JWKSet keys, long atNanos) {}

  /**
   * @param nanos monotonic time
   */
  IssuerKeys(Reader reader, LongSupplier nanos) {
    this.reader = reader;
    this.nanos = nanos;
  }

  /**
   * @throws KeySourceException if no key matches and the issuer is unreachable
   */
  @Override
  public List<JWK> get(JWKSelector selector, @Nullable SecurityContext context)
      throws KeySourceException {
    Known last = known;
    long age = last == null ? Long.MAX_VALUE : nanos.getAsLong() - last.atNanos();
    if (last != null && age < KEPT.toNanos()) {
      List<JWK> fitting = selector.select(last.keys());
      if (!fitting.isEmpty()) {
        if (age >= FRESH.toNanos()) {
          refreshAside();
        }
        return fitting;
      }
    }
    return selector.select(asked());
  }

  /** One thread reads. Other callers wait and use its result. */
  private synchronized JWKSet asked() throws KeySourceException {
    long now = nanos.getAsLong();
    Long tried = triedAtNanos;
    if (tried == null || now - tried >= BETWEEN.toNanos()) {
      triedAtNanos = now;
      try {
        known = new Known(reader.read(), now);
        away = false;
      } catch (IOException unreadable) {
        away = true;
        LOG.warn("The issuer's keys cannot be read: {}", unreadable.getMessage());
      }
    }
    Known last = known;
    if (away || last == null) {
      throw new KeySourceException("the issuer's keys cannot be read");
    }
    return last.keys();
  }

  private void refreshAside() {
    if (refreshing.compareAndSet(false, true)) {
      Thread.ofVirtual()
          .name("issuer-keys")
          .start(() -> {
            try {
              asked();
            } catch (KeySourceException logged) { // known keys remain valid
            } finally {
              refreshing.set(false);
            }
          });
    }
  }
}
