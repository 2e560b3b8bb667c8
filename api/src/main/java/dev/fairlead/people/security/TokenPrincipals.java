package dev.fairlead.people.security;

import dev.fairlead.kernel.overload.Places;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.MembershipStore;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.token.ApiToken;
import dev.fairlead.people.token.TokenStore;
import dev.fairlead.people.token.TokenText;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds the bearer of an API token, with the permissions that both its token and its memberships
 * grant. The result is cached for two seconds, so that a token that was revoked and a member that
 * was removed, on any replica, are refused soon afterwards. An ended token remains ended and is not
 * looked up again. Texts that are not tokens are never looked up.
 */
final class TokenPrincipals {
  private static final long BELIEVED_NANOS = Duration.ofSeconds(2).toNanos();
  private static final int MOST = 10_000;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);
  private final Transactions transactions;
  private final TokenStore tokens;
  private final MembershipStore memberships;
  private final InstantSource clock;
  private final LongSupplier nanos;
  private final Map<String, Seen> seen = new Recent();

  /** Unknown tokens wait for one connection, in one line for each source address. */
  private final Places strangers = new Places(1, LONGEST_WAIT, 1);

  /** Known tokens wait for two other connections, in one line for each bearer. */
  private final Places known = new Places(2, LONGEST_WAIT, 1);

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
   * Returns empty for a text that is not a token, for a revoked or expired token, and for a token
   * whose principal is no longer a member.
   *
   * @param address address of the sender of the request
   */
  Optional<Principal> bearer(String text, String address) {
    return TokenText.isOne(text) ? ofHash(TokenText.hash(text), address) : Optional.empty();
  }

  /** Like {@link #bearer}, by the hash of the token. */
  Optional<Principal> ofHash(String hash, String address) {
    Seen last = remembered(hash);
    Seen now = last == null ? inTurn(hash, address) : last;
    return Optional.ofNullable(now)
        .filter(s -> s.token().validAt(clock.instant()))
        .map(Seen::bearer)
        .filter(Principal::hasRoles);
  }

  /**
   * Returns the bearer of a recently seen token that is no longer valid, without roles. Reads no
   * database.
   */
  Optional<Actor> former(String text) {
    synchronized (seen) {
      return Optional.ofNullable(seen.get(TokenText.hash(text)))
          .map(met -> new Actor(met.token().tenant(), met.token().principal()));
    }
  }

  private @Nullable Seen remembered(String hash) {
    synchronized (seen) {
      Seen met = seen.get(hash);
      return met != null && stands(met) ? met : null;
    }
  }

  private boolean stands(Seen met) {
    return nanos.getAsLong() - met.atNanos() < BELIEVED_NANOS
        || !met.token().validAt(clock.instant());
  }

  /**
   * Requests reach this point before any other limit.
   *
   * @throws Refusal RATE_LIMITED with too many concurrent lookups
   */
  private @Nullable Seen inTurn(String hash, String address) {
    Seen met;
    synchronized (seen) {
      met = seen.get(hash);
    }
    try (Places.Held place =
        met == null
            ? strangers.enter(address)
            : known.enter(met.token().tenant().text() + met.token().principal())) {
      if (place == null) {
        throw new Refusal(
            ProblemCode.RATE_LIMITED,
            "Too many token lookups are in progress. Repeat this in a second.");
      }
      Seen meanwhile = remembered(hash);
      return meanwhile == null ? read(hash) : meanwhile;
    }
  }

  private @Nullable Seen read(String hash) {
    long before = nanos.getAsLong();
    Seen found =
        transactions.read(() ->
            transactions
                .forAllTenants(() ->
                    tokens.withHash(hash).map(token -> new Seen(token, bearer(token), before)))
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

  /** Removes the least recently used entry. */
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
