package dev.fairlead.security;

import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.MembershipStore;
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
 * Finds the bearer of an API token, with what its token and its memberships both allow. What was
 * found is believed for two seconds, so that a token that was revoked and a member that was
 * removed, on whichever replica, are refused soon after. Texts that are no tokens are not looked
 * up.
 */
final class TokenPrincipals {
  private static final long BELIEVED_NANOS = Duration.ofSeconds(2).toNanos();
  private static final int MOST = 10_000;
  private static final int MOST_WAITING = 100;
  private static final int LONGEST_WAIT_SECONDS = 2;
  private final Transactions transactions;
  private final TokenStore tokens;
  private final MembershipStore memberships;
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
      Transactions transactions,
      TokenStore tokens,
      MembershipStore memberships,
      InstantSource clock,
      LongSupplier nanos) {
    this.transactions = transactions;
    this.tokens = tokens;
    this.memberships = memberships;
    this.clock = clock;
    this.nanos = nanos;
  }

  private record Seen(ApiToken token, Principal bearer, long atNanos) {}

  /**
   * Empty for a text that is no token, for one that was revoked or has expired, and for one whose
   * principal is no longer a member.
   */
  Optional<Principal> bearer(String text) {
    if (!TokenText.isOne(text)) {
      return Optional.empty();
    }
    String hash = TokenText.hash(text);
    Seen last = remembered(hash);
    Seen now = last == null ? inTurn(hash) : last;
    return Optional.ofNullable(now)
        .filter(s -> s.token().validAt(clock.instant()))
        .map(Seen::bearer)
        .filter(Principal::hasRoles);
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
  private @Nullable Seen inTurn(String hash) {
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
      return meanwhile == null ? read(hash) : meanwhile;
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

  private @Nullable Seen read(String hash) {
    long before = nanos.getAsLong();
    Seen found =
        transactions.read(() ->
            tokens
                .withHash(hash)
                .map(token -> new Seen(token, bearer(token), before))
                .orElse(null));
    if (found != null) {
      synchronized (seen) {
        seen.put(hash, found);
      }
    }
    return found;
  }

  private Principal bearer(ApiToken token) {
    return token.bearer().within(memberships.held(token.principal()));
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
