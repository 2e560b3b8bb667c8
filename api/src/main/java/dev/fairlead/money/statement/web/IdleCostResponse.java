package dev.fairlead.money.statement.web;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.statement.IdleLine;
import dev.fairlead.money.statement.IdleRule;
import dev.fairlead.money.statement.service.IdleCostQueries;
import dev.fairlead.money.statement.web.StatementLineResponse.StatementUsed;
import dev.fairlead.money.usage.UsageBucket;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Cost of a month's idle capacity, and the tenants that pay it.
 *
 * @param month month in UTC, such as 2030-01
 * @param preliminary whether an hour of the month may still change
 * @param totals sums of the lines, by currency
 * @param lines idle capacity by owner, model, capacity type, bucket and price
 */
record IdleCostResponse(
    String month,
    boolean preliminary,
    IdleCostPolicyResponse policy,
    List<IdleCostTotal> totals,
    List<IdleCostLine> lines) {
  /**
   * A sum in one currency (ISO 4217). The distributed and the undistributed amount add up to it.
   */
  record IdleCostTotal(
      BigDecimal amount, BigDecimal distributed, BigDecimal apart, String currency) {}

  /**
   * Idle capacity with a single price.
   *
   * @param owner tenant with exclusive use of the capacity, null for all tenants
   * @param pricePerGpuHour price of a GPU-hour, null if there is no price
   * @param amount cost, rounded half to even to a millionth of a unit, null if there is no price
   * @param currency currency (ISO 4217), null if there is no price
   * @param shares shares of the tenants that pay it. They add up to the amount. Empty if the cost
   *     is not distributed
   */
  @RecordBuilder
  record IdleCostLine(
      @Nullable String owner,
      String model,
      CapacityType capacity,
      UsageBucket bucket,
      IdleRule rule,
      StatementUsed unused,
      @Nullable BigDecimal pricePerGpuHour,
      @Nullable BigDecimal amount,
      @Nullable String currency,
      List<IdleCostShare> shares) {
    static IdleCostLine of(IdleCostQueries.LineShares divided) {
      IdleLine line = divided.line();
      IdleLine.Key key = line.key();
      Money price = key.perGpuHour();
      return IdleCostResponseIdleCostLineBuilder.builder()
          .owner(divided.owner())
          .model(key.flavor().model())
          .capacity(key.flavor().capacity())
          .bucket(key.bucket())
          .rule(key.rule())
          .unused(StatementUsed.of(line.milliMillis().longValueExact()))
          .pricePerGpuHour(price == null ? null : StatementLines.amount(price))
          .amount(price == null ? null : StatementLines.amount(line.micros()))
          .currency(price == null ? null : price.currency())
          .shares(
              divided.shares().entrySet().stream()
                  .map(share ->
                      new IdleCostShare(
                          share.getKey(), StatementLines.amount(share.getValue().micros())))
                  .toList())
          .build();
    }
  }

  /** Share of a line for the named tenant. */
  record IdleCostShare(String tenant, BigDecimal amount) {}

  private record Sum(BigInteger all, BigInteger distributed) {
    Sum plus(Sum more) {
      return new Sum(all.add(more.all), distributed.add(more.distributed));
    }
  }

  static IdleCostResponse of(IdleCostQueries.Found found) {
    SortedMap<String, Sum> sums = new TreeMap<>();
    for (IdleCostQueries.LineShares divided : found.lines()) {
      Money price = divided.line().key().perGpuHour();
      if (price != null) {
        BigInteger distributed =
            divided.shares().values().stream()
                .map(IdleLine::micros)
                .reduce(BigInteger.ZERO, BigInteger::add);
        sums.merge(price.currency(), new Sum(divided.line().micros(), distributed), Sum::plus);
      }
    }
    return new IdleCostResponse(
        found.month().toString(),
        found.preliminary(),
        IdleCostPolicyResponse.of(found.policy()),
        sums.entrySet().stream()
            .map(sum ->
                new IdleCostTotal(
                    StatementLines.amount(sum.getValue().all()),
                    StatementLines.amount(sum.getValue().distributed()),
                    StatementLines.amount(
                        sum.getValue().all().subtract(sum.getValue().distributed())),
                    sum.getKey()))
            .toList(),
        found.lines().stream().map(IdleCostLine::of).toList());
  }
}
