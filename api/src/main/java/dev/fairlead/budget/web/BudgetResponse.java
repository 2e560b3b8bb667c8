package dev.fairlead.budget.web;

import dev.fairlead.budget.Budget;
import dev.fairlead.budget.BudgetFigures;
import dev.fairlead.budget.BudgetGrant;
import dev.fairlead.budget.BudgetPeriod;
import dev.fairlead.budget.GpuHours;
import dev.fairlead.budget.service.BudgetView;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How much of the fleet's time jobs may use in a period, with the figures of the open one.
 *
 * @param project name; null for all projects
 * @param queue name; null for all queues
 * @param user null for all users
 * @param gpuHours of each period
 * @param mode HARD: no job starts that would use more; SOFT: only alerts; UNREADABLE: another
 *     version wrote it, and nothing that it covers starts
 * @param alerts thresholds in percent of what is spent and reserved
 * @param current the open period
 */
record BudgetResponse(
    String id,
    String name,
    @Nullable String project,
    @Nullable String queue,
    @Nullable String user,
    BigDecimal gpuHours,
    BudgetPeriod period,
    Budget.Mode mode,
    List<Integer> alerts,
    List<Grant> grants,
    Figures current,
    long version) {
  /**
   * An extra amount.
   *
   * @param from when it was given; it counts in that period alone
   * @param until from when on no job may reserve of it
   */
  record Grant(BigDecimal gpuHours, Instant from, Instant until, String reason) {
    static Grant of(BudgetGrant grant) {
      return new Grant(
          GpuHours.rounded(grant.amount()),
          Instant.ofEpochMilli(grant.fromMillis()),
          Instant.ofEpochMilli(grant.untilMillis()),
          grant.reason());
    }
  }

  /**
   * GPU-hours of a period, rounded to a millionth.
   *
   * @param limit with the grants that are valid now
   * @param spent used up to now, also by jobs that still run
   * @param reserved for jobs that run, beyond what they have used
   * @param left of the limit, 0 when nothing is
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
      BigDecimal overdrawn,
      @Nullable Instant runsOutAt) {
    static Figures of(BudgetFigures figures) {
      return new Figures(
          figures.begin(),
          figures.end(),
          GpuHours.rounded(figures.limit()),
          GpuHours.rounded(figures.spent()),
          GpuHours.rounded(figures.reserved()),
          GpuHours.rounded(Math.max(0, figures.limit() - figures.spent() - figures.reserved())),
          GpuHours.rounded(figures.overdrawn()),
          figures.runsOut());
    }
  }

  static BudgetResponse of(BudgetView view) {
    Budget budget = view.budget();
    return new BudgetResponse(
        budget.id().text(),
        budget.name(),
        view.project(),
        view.queue(),
        budget.scope().user(),
        GpuHours.rounded(budget.amount()),
        budget.period(),
        budget.mode(),
        budget.alerts(),
        budget.grants().stream().map(Grant::of).toList(),
        Figures.of(view.figures()),
        budget.version());
  }
}
