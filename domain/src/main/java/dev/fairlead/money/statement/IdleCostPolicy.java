package dev.fairlead.money.statement;

import dev.fairlead.money.usage.UsageBucket;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.time.YearMonth;
import java.util.Collection;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Distribution of the cost of unused capacity, from a month. A row is never changed or removed.
 *
 * @param from first month, which had not begun when it was written
 * @param idle rule for free, reserved and stranded capacity
 * @param outOfService rule for unhealthy capacity and capacity in maintenance
 * @param weights weights of tenants, for BY_QUOTA, empty without it
 * @param by name of the caller that wrote it
 */
public record IdleCostPolicy(
    YearMonth from,
    IdleRule idle,
    IdleRule outOfService,
    SortedMap<TenantId, Long> weights,
    String by,
    Instant recordedAt) {
  /** Before any was written. */
  public static final IdleCostPolicy NONE =
      new IdleCostPolicy(
          YearMonth.of(1970, 1),
          IdleRule.APART,
          IdleRule.APART,
          Collections.emptySortedMap(),
          "",
          Instant.EPOCH);

  public IdleCostPolicy {
    weights = Collections.unmodifiableSortedMap(new TreeMap<>(weights));
  }

  /**
   * The policy of a month: the latest one in effect, and the last written of several with one
   * start.
   *
   * @param written policies in order of creation
   */
  public static IdleCostPolicy of(Collection<IdleCostPolicy> written, YearMonth month) {
    return written.stream()
        .filter(policy -> !policy.from.isAfter(month))
        .reduce((before, next) -> next.from.isBefore(before.from) ? before : next)
        .orElse(NONE);
  }

  /** Returns the rule for a bucket that no job used. */
  public IdleRule rule(UsageBucket bucket) {
    return switch (bucket) {
      case SICK, MAINTENANCE -> outOfService;
      case FREE, KEPT, STRANDED -> idle;
      case USED -> IdleRule.APART;
    };
  }

  /** Returns whether a tenant pays any idle cost. */
  public boolean distributes() {
    return idle != IdleRule.APART || outOfService != IdleRule.APART;
  }
}
