package dev.fairlead.money.statement.web;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.money.price.Commitment;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.statement.CommitmentLine;
import dev.fairlead.money.statement.service.CommitmentQueries;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Cost and utilization of commitments in a time range.
 *
 * @param from start of the first hour, in UTC
 * @param to end of the last hour, exclusive
 * @param preliminary whether an hour may still change
 * @param lines commitments by price, oldest first
 */
record CommitmentsResponse(
    Instant from, Instant to, boolean preliminary, List<CommitmentReport> lines) {
  /**
   * One commitment. GPU-hours are rounded to a millionth.
   *
   * @param price id in the price book
   * @param cluster id of the cluster, null for any cluster
   * @param pool name of the pool, null for any pool
   * @param model GPU model, null for any model
   * @param gpus number of whole GPUs that are paid for
   * @param begins start of the commitment
   * @param ends end of the commitment, exclusive
   * @param committedGpuHours GPU-hours that were paid for in the time range
   * @param usedGpuHours used part of these GPU-hours, hour by hour
   * @param unusedGpuHours unused part of these GPU-hours
   * @param beyondGpuHours usage at this price beyond the committed GPU-hours of the same hour
   * @param cost part of the total amount, by time
   * @param usedCost cost of the used part
   * @param unusedCost cost of the unused part
   * @param currency currency (ISO 4217)
   */
  @RecordBuilder
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
      return CommitmentsResponseCommitmentReportBuilder.builder()
          .price(price.id().text())
          .cluster(cluster == null ? null : cluster.text())
          .pool(price.scope().pool())
          .model(price.scope().model())
          .gpus(commitment.gpus())
          .begins(price.validity().from())
          .ends(Objects.requireNonNull(price.validity().to(), "an end"))
          .committedGpuHours(hours(line.committed()))
          .usedGpuHours(hours(line.used()))
          .unusedGpuHours(hours(line.unused()))
          .beyondGpuHours(hours(line.beyond()))
          .cost(StatementLines.amount(line.cost()))
          .usedCost(StatementLines.amount(line.usedCost()))
          .unusedCost(StatementLines.amount(line.unusedCost()))
          .currency(price.perUnit().currency())
          .build();
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
