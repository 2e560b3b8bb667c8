package dev.fairlead.money.budget.web;

import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetFigures;
import dev.fairlead.money.budget.BudgetGrant;
import dev.fairlead.money.budget.BudgetPeriod;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.money.budget.WallPolicy;
import dev.fairlead.money.budget.service.BudgetView;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * How much of the fleet's time, or for how much money, jobs may use GPUs in a period, with the
 * figures of the open one.
 *
 * @param project name; null for all projects
 * @param queue name; null for all queues
 * @param user null for all users
 * @param label that jobs have when they start; empty for all jobs
 * @param gpuHours of each period; null for a budget of money
 * @param amount of each period, in units of the currency; null for a budget of GPU-hours
 * @param currency ISO 4217; null for a budget of GPU-hours
 * @param mode HARD: no job starts that would use more; SOFT: only alerts; UNREADABLE: another
 *     version wrote it, and nothing that it covers starts
 * @param atWall of a HARD budget: what becomes of jobs that run on hours which it does not have
 * @param alerts thresholds in percent of what is spent and reserved
 * @param current the open period
 */
record BudgetResponse(
    String id,
    String name,
    @Nullable String project,
    @Nullable String queue,
    @Nullable String user,
    SortedMap<String, String> label,
    @Nullable BigDecimal gpuHours,
    @Nullable BigDecimal amount,
    @Nullable String currency,
    BudgetPeriod period,
    Budget.Mode mode,
    WallPolicy atWall,
    List<Integer> alerts,
    List<Grant> grants,
    Figures current,
    long version) {
  /**
   * An extra amount.
   *
   * @param gpuHours null for a budget of money
   * @param amount null for a budget of GPU-hours
   * @param from when it was given; it counts in that period alone
   * @param until from when on no job may reserve of it
   */
  record Grant(
      @Nullable BigDecimal gpuHours,
      @Nullable BigDecimal amount,
      Instant from,
      Instant until,
      String reason) {
    static Grant of(BudgetUnit unit, BudgetGrant grant) {
      return new Grant(
          hours(unit, grant.amount()),
          money(unit, grant.amount()),
          Instant.ofEpochMilli(grant.fromMillis()),
          Instant.ofEpochMilli(grant.untilMillis()),
          grant.reason());
    }
  }

  /**
   * Figures of a period in GPU-hours, or in the currency; rounded to a millionth.
   *
   * @param limit with the grants that are valid now
   * @param spent used up to now, also by jobs that still run
   * @param reserved for jobs that run, beyond what they have used
   * @param left of the limit, 0 when nothing is
   * @param withoutPrice GPU-hours that ended attempts used and that no price in the currency is
   *     for: in no other figure; null for a budget of GPU-hours
   * @param overdrawn spent and reserved beyond the amount and all grants of the period
   * @param runsOutAt when the limit is used up at the average rate of the period so far; null when
   *     it lasts until the period ends
   */
  record Figures(
      Instant from,
      Instant to,
      BigDecimal limit,
      BigDecimal spent,
      BigDecimal reserved,
      BigDecimal left,
      @Nullable BigDecimal withoutPrice,
      BigDecimal overdrawn,
      @Nullable Instant runsOutAt) {
    static Figures of(BudgetUnit unit, BudgetFigures figures) {
      BigInteger left = figures.limit().subtract(figures.spent()).subtract(figures.reserved());
      return new Figures(
          figures.begin(),
          figures.end(),
          unit.rounded(figures.limit()),
          unit.rounded(figures.spent()),
          unit.rounded(figures.reserved()),
          unit.rounded(left.max(BigInteger.ZERO)),
          unit.money() ? BudgetUnit.GPU_HOURS.rounded(figures.unpriced()) : null,
          unit.rounded(figures.overdrawn()),
          figures.runsOut());
    }
  }

  private static @Nullable BigDecimal hours(BudgetUnit unit, BigInteger amount) {
    return unit.money() ? null : unit.rounded(amount);
  }

  private static @Nullable BigDecimal money(BudgetUnit unit, BigInteger amount) {
    return unit.money() ? unit.rounded(amount) : null;
  }

  static BudgetResponse of(BudgetView view) {
    Budget budget = view.budget();
    BudgetUnit unit = budget.unit();
    return new BudgetResponse(
        budget.id().text(),
        budget.name(),
        view.project(),
        view.queue(),
        budget.scope().user(),
        budget.scope().labels(),
        hours(unit, budget.amount()),
        money(unit, budget.amount()),
        unit.currency(),
        budget.period(),
        budget.mode(),
        budget.atWall(),
        budget.alerts(),
        budget.grants().stream().map(grant -> Grant.of(unit, grant)).toList(),
        Figures.of(unit, view.figures()),
        budget.version());
  }
}
