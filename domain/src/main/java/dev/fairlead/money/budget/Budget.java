package dev.fairlead.money.budget;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The GPU time, or the amount of money, that jobs may use in a period.
 *
 * @param name DNS label, unique in the tenant
 * @param amount amount of each period in its unit, 0 or more
 * @param onExhausted policy of a HARD budget for running jobs when it is exhausted
 * @param alerts thresholds in percent of the amount, rising
 * @param grants grants of the periods since the last change
 */
@RecordBuilder
public record Budget(
    BudgetId id,
    BudgetScope scope,
    String name,
    BudgetUnit unit,
    BigInteger amount,
    BudgetPeriod period,
    Mode mode,
    BudgetExhaustedPolicy onExhausted,
    List<Integer> alerts,
    List<BudgetGrant> grants,
    long version)
    implements BudgetBuilder.With {
  public static final long GPU_HOUR = 3_600_000_000L;

  /** Reservation of a job without a runtime, renewed repeatedly. */
  public static final Duration RENEWED = Duration.ofHours(1);

  /** Maximum that is reserved for a longer runtime at a time. */
  public static final Duration LONGEST = Duration.ofDays(400);

  private static final BigInteger HUNDRED = BigInteger.valueOf(100);

  /** Consequences of an exhausted amount. */
  public enum Mode {
    /** No job starts that would use more. */
    HARD,
    /** Only alerts. */
    SOFT,
    /** This version cannot read the row, so no job in the budget's scope starts. */
    UNREADABLE
  }

  /** Documents from before this setting lack it: jobs finish. */
  public Budget {
    onExhausted = onExhausted == null ? BudgetExhaustedPolicy.FINISH : onExhausted;
    alerts = List.copyOf(alerts);
    grants = List.copyOf(grants);
  }

  /** Returns whether the budget stops running jobs when it is exhausted. */
  public boolean stops() {
    return mode == Mode.HARD && closes() && onExhausted != BudgetExhaustedPolicy.FINISH;
  }

  /**
   * Returns whether the budget blocks starts. A budget by label never blocks starts, because a
   * label is easily omitted.
   */
  public boolean closes() {
    return switch (mode) {
      case HARD, UNREADABLE -> !scope.byLabel();
      case SOFT -> false;
    };
  }

  /** Returns whether no job in its scope starts, regardless of the remainder. */
  public boolean unreadable() {
    return mode == Mode.UNREADABLE && closes();
  }

  /** Returns whether jobs reserve an amount of the budget when they start. */
  boolean counts() {
    return mode != Mode.UNREADABLE || closes();
  }

  /** Limit of charges in a period, with the valid grants. */
  public BigInteger limit(long periodMillis, long nowMillis) {
    return granted(periodMillis, nowMillis);
  }

  /** Returns the limit of charges in a period, including expired grants. */
  public BigInteger everGranted(long periodMillis) {
    return granted(periodMillis, Long.MIN_VALUE);
  }

  private BigInteger granted(long periodMillis, long nowMillis) {
    BigInteger sum = amount;
    for (BudgetGrant grant : grants) {
      if (period.begin(grant.fromMillis()) == periodMillis && grant.untilMillis() > nowMillis) {
        sum = sum.add(grant.amount());
      }
    }
    return sum;
  }

  /** The share of a limit, rounded down. */
  static BigInteger part(BigInteger limit, int percent) {
    return limit.multiply(BigInteger.valueOf(percent)).divide(HUNDRED);
  }

  /** Time for which a job is reserved when it starts, in milliseconds. */
  public static long reserved(@Nullable Duration maxRuntime, @Nullable Duration ofQueue) {
    Duration longest = maxRuntime != null ? maxRuntime : ofQueue;
    if (longest == null) {
      return RENEWED.toMillis();
    }
    return longest.compareTo(LONGEST) > 0 ? LONGEST.toMillis() : longest.toMillis();
  }

  /** Returns the budget with other terms. */
  public Budget with(BigInteger otherAmount, Mode otherMode, List<Integer> otherAlerts) {
    return with()
        .amount(otherAmount)
        .mode(otherMode)
        .alerts(otherAlerts)
        .version(version + 1)
        .build();
  }

  /** Returns the same version of the budget with another exhaustion policy. */
  public Budget at(BudgetExhaustedPolicy policy) {
    return withOnExhausted(policy);
  }

  /** Returns the budget with one more grant, and without grants of earlier periods. */
  public Budget granting(BudgetGrant grant) {
    long current = period.begin(grant.fromMillis());
    List<BudgetGrant> next = new ArrayList<>(grants);
    next.removeIf(old -> period.begin(old.fromMillis()) < current);
    next.add(grant);
    return with().grants(next).version(version + 1).build();
  }
}
