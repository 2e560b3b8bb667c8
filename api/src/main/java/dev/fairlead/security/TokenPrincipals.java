package dev.fairlead.security;

import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.Principal;
import dev.fairlead.token.ApiToken;
import dev.fairlead.token.TokenStore;
import dev.fairlead.token.TokenText;
import dev.fairlead.transaction.Transactions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds the bearer of an API token. What was found is believed for two seconds, so that a token
 * that was revoked, on whichever replica, is refused soon after. Texts that are no tokens are not
 * looked up.
 */
final class TokenPrincipals {
  private static final long BELIEVED_NANOS = Duration.ofSeconds(2).toNanos();
  private static final int MOST = 10_000;
  private static final int MOST_WAITING = 100;
  private static final int LONGEST_WAIT_SECONDS = 2;
  private final Transactions transactions;
  private final TokenStore tokens;
  private final InstantSource clock;
  private final LongSupplier nanos;
  private final Map<String, Seen> seen = new Recent();

  /** A flood of guesses waits for one connection, known tokens for two others. */
  private final Semaphore strangers = new Semaphore(1, true);

  private final Semaphore known = new Semaphore(2, true);

  /**
   * @param nanos monotonic time
   */
  TokenPrincipals(
      Transactions transactions, TokenStore tokens, InstantSource clock, LongSupplier nanos) {
    this.transactions = transactions;
    this.tokens = tokens;
    this.clock = clock;
    this.nanos = nanos;
  }

  private record Seen(ApiToken token, long atNanos) {}

  /** Empty for a text that is no token, and for one that was revoked or has expired. */
  Optional<Principal> bearer(String text) {
    if (!TokenText.isOne(text)) {
      return Optional.empty();
    }
    String hash = TokenText.hash(text);
    Seen last = remembered(hash);
    ApiToken token = last == null ? inTurn(hash) : last.token();
    return Optional.ofNullable(token).filter(t -> t.validAt(clock.instant())).map(ApiToken::bearer);
  }

  private @Nullable Seen remembered(String hash) {
    synchronized (seen) {
      Seen known = seen.get(hash);
      return known != null && nanos.getAsLong() - known.atNanos() < BELIEVED_NANOS ? known : null;
    }
  }

  /**
   * Requests come here before anything else bounds them.
   *
   * @throws Refusal RATE_LIMITED when too many tokens are looked up at this moment
   */
  private @Nullable ApiToken inTurn(String hash) {
    boolean met;
    synchronized (seen) {
      met = seen.containsKey(hash);
    }
    Semaphore lane = met ? known : strangers;
    if (lane.getQueueLength() >= MOST_WAITING || !entered(lane)) {
      throw new Refusal(
          ProblemCode.RATE_LIMITED, "Too many tokens are looked up. Repeat this in a second.");
    }
    try {
      Seen meanwhile = remembered(hash);
      return meanwhile == null ? read(hash) : meanwhile.token();
    } finally {
      lane.release();
    }
  }

  private static boolean entered(Semaphore lane) {
    try {
      return lane.tryAcquire(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private @Nullable ApiToken read(String hash) {
    long before = nanos.getAsLong();
    ApiToken token = transactions.read(() -> tokens.withHash(hash)).orElse(null);
    if (token != null) {
      synchronized (seen) {
        seen.put(hash, new Seen(token, before));
      }
    }
    return token;
  }

  /** Forgets the one that was used longest ago. */
  private static final class Recent extends LinkedHashMap<String, Seen> {
    private static final long serialVersionUID = 1L;
    private static final float LOAD = 0.75f;

    Recent() {
      super(16, LOAD, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Seen> eldest) {
      return size() > MOST;
    }
  }
}
