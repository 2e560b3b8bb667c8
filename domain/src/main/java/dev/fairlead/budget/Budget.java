package dev.fairlead.budget;

import dev.fairlead.resources.Saturating;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How much of the fleet's time jobs may use in a period.
 *
 * @param name DNS label, unique in the tenant
 * @param amount thousandths of a GPU times milliseconds in each period, 0..{@link #MOST}
 * @param alerts thresholds in percent of the amount, rising
 * @param grants of the periods since the last change
 */
public record Budget(
    BudgetId id,
    BudgetScope scope,
    String name,
    long amount,
    BudgetPeriod period,
    Mode mode,
    List<Integer> alerts,
    List<BudgetGrant> grants,
    long version) {
  /** One GPU-hour. */
  public static final long GPU_HOUR = 3_600_000_000L;

  /** A hundred million GPU-hours. */
  public static final long MOST = 100_000_000 * GPU_HOUR;

  /** What a job reserves that says nowhere how long it runs, again and again. */
  public static final Duration RENEWED = Duration.ofHours(1);

  /** What is reserved of a longer runtime at once. */
  private static final Duration LONGEST = Duration.ofDays(400);

  private static final int HUNDRED = 100;

  /** What happens when the amount is used up. */
  public enum Mode {
    /** No job starts that would use more. */
    HARD,
    /** Nothing but alerts. */
    SOFT,
    /** The row cannot be read by this version: nothing in its scope starts. */
    UNREADABLE
  }

  public Budget {
    alerts = List.copyOf(alerts);
    grants = List.copyOf(grants);
  }

  /** Whether it keeps jobs from starting. */
  public boolean closes() {
    return switch (mode) {
      case HARD, UNREADABLE -> true;
      case SOFT -> false;
    };
  }

  /** What may be charged in a period, with the grants that are valid. */
  public long limit(long periodMillis, long nowMillis) {
    return granted(periodMillis, nowMillis);
  }

  /** The same with the grants that have expired. */
  public long everGranted(long periodMillis) {
    return granted(periodMillis, Long.MIN_VALUE);
  }

  private long granted(long periodMillis, long nowMillis) {
    long sum = amount;
    for (BudgetGrant grant : grants) {
      if (period.begin(grant.fromMillis()) == periodMillis && grant.untilMillis() > nowMillis) {
        sum = Saturating.plus(sum, grant.amount());
      }
    }
    return sum;
  }

  /** So much of a limit, rounded down. */
  static long part(long limit, int percent) {
    return limit / HUNDRED * percent + limit % HUNDRED * percent / HUNDRED;
  }

  /** For how long a job is reserved when it starts, in milliseconds. */
  public static long reserved(@Nullable Duration maxRuntime, @Nullable Duration ofQueue) {
    Duration longest = maxRuntime != null ? maxRuntime : ofQueue;
    if (longest == null) {
      return RENEWED.toMillis();
    }
    return longest.compareTo(LONGEST) > 0 ? LONGEST.toMillis() : longest.toMillis();
  }

  /** The same with other terms. */
  public Budget with(long otherAmount, Mode otherMode, List<Integer> otherAlerts) {
    return new Budget(
        id, scope, name, otherAmount, period, otherMode, otherAlerts, grants, version + 1);
  }

  /** With one more grant, and without those of earlier periods. */
  public Budget granting(BudgetGrant grant) {
    long current = period.begin(grant.fromMillis());
    List<BudgetGrant> next = new ArrayList<>(grants);
    next.removeIf(old -> period.begin(old.fromMillis()) < current);
    next.add(grant);
    return new Budget(id, scope, name, amount, period, mode, alerts, next, version + 1);
  }
}
