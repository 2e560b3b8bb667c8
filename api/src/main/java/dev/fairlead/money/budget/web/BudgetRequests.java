package dev.fairlead.money.budget.web;

import dev.fairlead.money.budget.BudgetExhaustedPolicy;
import dev.fairlead.money.budget.BudgetPeriod;
import io.swagger.v3.oas.annotations.media.Schema;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Requests that write budgets. */
interface BudgetRequests {
  /** A new budget. */
  @Schema(name = "CreateBudgetRequest")
  record Create(
      @Schema(description = "DNS label, unique in the tenant") String name,
      @Schema(description = "Name of a project. All projects when absent") @Nullable String project,
      @Schema(description = "Name of a queue. All queues when absent") @Nullable String queue,
      @Schema(description = "User whose jobs count. All users when absent") @Nullable String user,
      @Schema(
              description =
                  "One label and its value. Jobs with that label at their start count. All"
                      + " jobs when absent. A budget with a label is SOFT")
          @Nullable SortedMap<String, String> label,
      @Schema(
              description =
                  "GPU-hours of each period: 0 to 100000000 with at most 6 decimals."
                      + " Excludes amount and currency")
          @Nullable BigDecimal gpuHours,
      @Schema(
              description =
                  "Money of each period, in units of the currency: 0 to 1000000000000 with"
                      + " at most 6 decimals")
          @Nullable BigDecimal amount,
      @Schema(
              description =
                  "Currency of the amount: three letters (ISO 4217). A price in this currency must"
                      + " exist")
          @Nullable String currency,
      @Schema(
              description =
                  "Length of a period. Default: MONTH. Periods begin at midnight in UTC,"
                      + " weeks on Monday")
          @Nullable BudgetPeriod period,
      @Schema(
              description = "HARD when absent, SOFT with a label",
              allowableValues = {"HARD", "SOFT"})
          @Nullable String mode,
      @Schema(
              description =
                  "For a HARD budget: action on running jobs that need more hours than"
                      + " the budget has. FINISH (default), PREEMPT to stop them and return them"
                      + " to their queue, or SUSPEND to stop them until they are resumed")
          @Nullable BudgetExhaustedPolicy onExhausted,
      @Schema(
              description =
                  "Alert thresholds in percent, 1 to 100, at most 10. Each alert is sent"
                      + " once per period. Default: 80 and 100")
          @Nullable List<Integer> alerts) {}

  /** The changeable fields of a budget. */
  @Schema(name = "UpdateBudgetRequest")
  record Update(
      @Schema(description = "GPU-hours of each period, for a budget of GPU-hours")
          @Nullable BigDecimal gpuHours,
      @Schema(description = "Money of each period, for a budget of money, in its currency")
          @Nullable BigDecimal amount,
      @Schema(allowableValues = {"HARD", "SOFT"}) @Nullable String mode,
      @Schema(description = "Values other than FINISH require a HARD budget")
          @Nullable BudgetExhaustedPolicy onExhausted,
      @Nullable List<Integer> alerts) {}

  /** An extra amount. */
  @Schema(name = "GrantBudgetRequest")
  record Grant(
      @Schema(
              description =
                  "Extra GPU-hours for a budget of GPU-hours: above 0, at most 100000000"
                      + " with at most 6 decimals")
          @Nullable BigDecimal gpuHours,
      @Schema(
              description =
                  "Extra money for a budget of money, in its currency: above 0, at most"
                      + " 1000000000000 with at most 6 decimals")
          @Nullable BigDecimal amount,
      @Schema(
              description =
                  "End of the grant: from this time, no job can reserve from it. The end of the"
                      + " current period when absent or later")
          @Nullable Instant until,
      @Schema(description = "Reason of the grant, at most 200 characters") String reason) {}
}
