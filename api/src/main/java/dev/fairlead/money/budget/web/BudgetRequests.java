package dev.fairlead.money.budget.web;

import dev.fairlead.money.budget.BudgetPeriod;
import dev.fairlead.money.budget.WallPolicy;
import io.swagger.v3.oas.annotations.media.Schema;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Budgets as they are written. */
interface BudgetRequests {
  /** A budget to be created. */
  @Schema(name = "CreateBudgetRequest")
  record Create(
      @Schema(description = "DNS label, unique in the tenant") String name,
      @Schema(description = "Name of a project; all projects when absent") @Nullable String project,
      @Schema(description = "Name of a queue; all queues when absent") @Nullable String queue,
      @Schema(description = "Jobs that this user submitted; all users when absent")
          @Nullable String user,
      @Schema(
              description =
                  "One label and its value: jobs that have it when they start. Such a budget is"
                      + " SOFT; all jobs when absent")
          @Nullable SortedMap<String, String> label,
      @Schema(
              description =
                  "Of each period: 0 to 100000000 with at most 6 decimals. Either this, or amount"
                      + " and currency")
          @Nullable BigDecimal gpuHours,
      @Schema(
              description =
                  "Money of each period, in units of the currency: 0 to 1000000000000 with at most"
                      + " 6 decimals")
          @Nullable BigDecimal amount,
      @Schema(
              description =
                  "Currency of the amount, a three-letter ISO 4217 code for which a price exists")
          @Nullable String currency,
      @Schema(description = "MONTH when absent; periods begin at midnight in UTC, weeks on Monday")
          @Nullable BudgetPeriod period,
      @Schema(
              description = "HARD when absent, SOFT with a label",
              allowableValues = {"HARD", "SOFT"})
          @Nullable String mode,
      @Schema(
              description =
                  "Policy of a HARD budget for running jobs when it is exhausted: FINISH (default), PREEMPT (stop and queue "
                      + "again), or SUSPEND (stop until resumed)")
          @Nullable WallPolicy atWall,
      @Schema(
              description =
                  "Thresholds in percent, 1 to 100, at most 10; each is announced once in a period."
                      + " 80 and 100 when absent")
          @Nullable List<Integer> alerts) {}

  /** What may change of a budget. */
  @Schema(name = "UpdateBudgetRequest")
  record Update(
      @Schema(description = "Of a budget of GPU-hours") @Nullable BigDecimal gpuHours,
      @Schema(description = "Of a budget of money, in its currency") @Nullable BigDecimal amount,
      @Schema(allowableValues = {"HARD", "SOFT"}) @Nullable String mode,
      @Schema(description = "Other than FINISH only of a HARD budget") @Nullable WallPolicy atWall,
      @Nullable List<Integer> alerts) {}

  /** An extra amount. */
  @Schema(name = "GrantBudgetRequest")
  record Grant(
      @Schema(
              description =
                  "For a budget of GPU-hours: above 0, at most 100000000 with at most 6 decimals")
          @Nullable BigDecimal gpuHours,
      @Schema(
              description =
                  "For a budget of money, in its currency: above 0, at most 1000000000000 with at"
                      + " most 6 decimals")
          @Nullable BigDecimal amount,
      @Schema(
              description =
                  "From when on no job may reserve of it; the end of the open period when absent or"
                      + " later")
          @Nullable Instant until,
      @Schema(description = "For people, at most 200 characters") String reason) {}
}
