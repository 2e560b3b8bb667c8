package dev.fairlead.money.budget.web;

import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetExhaustedPolicy;
import dev.fairlead.money.budget.BudgetFigures;
import dev.fairlead.money.budget.BudgetGrant;
import dev.fairlead.money.budget.BudgetPeriod;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.money.budget.service.BudgetView;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A limit of GPU-hours or money that jobs may use in a period, with the figures of the current
 * period.
 *
 * @param project name of the project, null for all projects
 * @param queue name of the queue, null for all queues
 * @param user name of the user, null for all users
 * @param label label that jobs have at their start, empty for all jobs
 * @param gpuHours GPU-hours of each period, null for a budget of money
 * @param amount money of each period in units of the currency, null for a budget of GPU-hours
 * @param currency currency (ISO 4217), null for a budget of GPU-hours
 * @param mode HARD: no job starts that would exceed the budget. SOFT: alerts only. UNREADABLE:
 *     another version wrote the budget, and no job that it covers starts
 * @param onExhausted treatment of running jobs that exhaust a HARD budget
 * @param alerts thresholds in percent of the limit, compared with spent plus reserved
 * @param current figures of the open period
 */
@RecordBuilder
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
    BudgetExhaustedPolicy onExhausted,
    List<Integer> alerts,
    List<Grant> grants,
    Figures current,
    long version) {
  /**
   * An extra amount.
   *
   * @param gpuHours extra GPU-hours, null for a budget of money
   * @param amount extra money, null for a budget of GPU-hours
   * @param from time of the grant, which counts in that period only
   * @param until time from which no job may reserve from the grant
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
   * Figures of a period in GPU-hours or in the currency, rounded to a millionth.
   *
   * @param limit amount of the period plus the grants that are valid now
   * @param spent usage until now, including running jobs
   * @param reserved amount reserved for running jobs beyond their use
   * @param left remainder of the limit, 0 if it is exhausted
   * @param withoutPrice GPU-hours of ended attempts without a price in the currency, not part of
   *     any other figure. Null for a budget of GPU-hours
   * @param overdrawn spent and reserved amount beyond the budget and all grants of the period
   * @param runsOutAt time when the limit is exhausted at the average rate of the period so far,
   *     null if it lasts until the period ends
   */
  @RecordBuilder
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
      return BudgetResponseFiguresBuilder.builder()
          .from(figures.begin())
          .to(figures.end())
          .limit(unit.rounded(figures.limit()))
          .spent(unit.rounded(figures.spent()))
          .reserved(unit.rounded(figures.reserved()))
          .left(unit.rounded(left.max(BigInteger.ZERO)))
          .withoutPrice(unit.money() ? BudgetUnit.GPU_HOURS.rounded(figures.unpriced()) : null)
          .overdrawn(unit.rounded(figures.overdrawn()))
          .runsOutAt(figures.runsOut())
          .build();
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
    return BudgetResponseBuilder.builder()
        .id(budget.id().text())
        .name(budget.name())
        .project(view.project())
        .queue(view.queue())
        .user(budget.scope().user())
        .label(budget.scope().labels())
        .gpuHours(hours(unit, budget.amount()))
        .amount(money(unit, budget.amount()))
        .currency(unit.currency())
        .period(budget.period())
        .mode(budget.mode())
        .onExhausted(budget.onExhausted())
        .alerts(budget.alerts())
        .grants(budget.grants().stream().map(grant -> Grant.of(unit, grant)).toList())
        .current(Figures.of(unit, view.figures()))
        .version(budget.version())
        .build();
  }
}
