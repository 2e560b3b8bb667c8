package dev.fairlead.money.statement.web;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.money.price.Commitment;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.statement.CommitmentLine;
import dev.fairlead.money.statement.service.CommitmentQueries;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What commitments cost in a span, and how much of them was used.
 *
 * @param from begin of the first hour, in UTC
 * @param to begin of the first hour that is left out
 * @param preliminary whether an hour may still change
 * @param lines by price, the oldest first
 */
record CommitmentsResponse(
    Instant from, Instant to, boolean preliminary, List<CommitmentReport> lines) {
  /**
   * One commitment. GPU-hours are rounded to a millionth.
   *
   * @param price id in the price book
   * @param cluster id, null for any
   * @param pool name, null for any
   * @param model null for any
   * @param gpus whole GPUs that are paid for
   * @param begins first instant of the commitment
   * @param ends first instant after it
   * @param committedGpuHours that were paid for in the span
   * @param usedGpuHours of these, hour by hour
   * @param unusedGpuHours the rest
   * @param beyondGpuHours use at this price above what was paid for in the same hour
   * @param cost its part of the amount in all, by time
   * @param usedCost what the used part cost
   * @param unusedCost what the rest cost
   * @param currency ISO 4217
   */
  record CommitmentReport(
      String price,
      @Nullable String cluster,
      @Nullable String pool,
      @Nullable String model,
      int gpus,
      Instant begins,
      Instant ends,
      BigDecimal committedGpuHours,
      BigDecimal usedGpuHours,
      BigDecimal unusedGpuHours,
      BigDecimal beyondGpuHours,
      BigDecimal cost,
      BigDecimal usedCost,
      BigDecimal unusedCost,
      String currency) {
    static CommitmentReport of(CommitmentLine line) {
      Price price = line.price();
      Commitment commitment = Objects.requireNonNull(price.commitment(), "a commitment");
      ClusterId cluster = price.scope().cluster();
      return new CommitmentReport(
          price.id().text(),
          cluster == null ? null : cluster.text(),
          price.scope().pool(),
          price.scope().model(),
          commitment.gpus(),
          price.validity().from(),
          Objects.requireNonNull(price.validity().to(), "an end"),
          hours(line.committed()),
          hours(line.used()),
          hours(line.unused()),
          hours(line.beyond()),
          StatementLines.amount(line.cost()),
          StatementLines.amount(line.usedCost()),
          StatementLines.amount(line.unusedCost()),
          price.perUnit().currency());
    }

    private static BigDecimal hours(BigInteger milliMillis) {
      return BudgetUnit.GPU_HOURS.rounded(milliMillis);
    }
  }

  static CommitmentsResponse of(CommitmentQueries.Found found, Instant from, Instant to) {
    return new CommitmentsResponse(
        from, to, found.preliminary(), found.lines().stream().map(CommitmentReport::of).toList());
  }
}
