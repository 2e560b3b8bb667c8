package dev.fairlead.people.security.oidc;

import dev.fairlead.kernel.overload.Places;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Membership;
import dev.fairlead.people.tenant.MembershipStore;
import dev.fairlead.people.tenant.TenantId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Stored memberships of people that sign in. Cached for two seconds, so that a member that was
 * removed on any replica is refused soon afterwards.
 */
final class StoredMemberships {
  private static final long BELIEVED_NANOS = Duration.ofSeconds(2).toNanos();
  private static final int MOST = 10_000;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);
  private final Transactions transactions;
  private final MembershipStore memberships;
  private final LongSupplier nanos;
  private final Map<String, Seen> seen = new ConcurrentHashMap<>();

  /**
   * Requests are not limited yet at this point. They may not use all connections, and requests of
   * one tenant may not use all of these permits.
   */
  private final Places reading = new Places(3, LONGEST_WAIT, 2);

  /**
   * @param nanos monotonic time
   */
  StoredMemberships(Transactions transactions, MembershipStore memberships, LongSupplier nanos) {
    this.transactions = transactions;
    this.memberships = memberships;
    this.nanos = nanos;
  }

  private record Seen(List<Membership> held, long atNanos) {}

  /**
   * Returns the memberships in a fixed order.
   *
   * @param tenant tenant of its sign-in. Requests of one tenant wait in the same line
   * @throws Refusal RATE_LIMITED with too many concurrent lookups
   */
  List<Membership> of(String user, TenantId tenant) {
    Seen last = remembered(user);
    return (last == null ? inTurn(user, tenant) : last).held();
  }

  private @Nullable Seen remembered(String user) {
    Seen last = seen.get(user);
    return last != null && nanos.getAsLong() - last.atNanos() < BELIEVED_NANOS ? last : null;
  }

  private Seen inTurn(String user, TenantId tenant) {
    try (Places.Held place = reading.enter(tenant.text())) {
      if (place == null) {
        throw new Refusal(
            ProblemCode.RATE_LIMITED,
            "Too many member lookups are in progress. Retry the request in a second.");
      }
      Seen meanwhile = remembered(user);
      return meanwhile == null ? read(user) : meanwhile;
    }
  }

  private Seen read(String user) {
    long before = nanos.getAsLong();
    Seen found = new Seen(transactions.read(() -> memberships.held(user)), before);
    if (seen.size() >= MOST) {
      seen.clear();
    }
    seen.put(user, found);
    return found;
  }
}
