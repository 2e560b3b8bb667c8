package dev.fairlead.money.statement.web;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.statement.Savings;
import dev.fairlead.money.statement.service.SavingsQueries;
import dev.fairlead.money.statement.web.StatementLineResponse.StatementUsed;
import dev.fairlead.money.statement.web.StatementTotalsResponse.StatementAmount;
import dev.fairlead.money.usage.ReservedOnly;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;

/**
 * What the use of a span was paid, beside the same use on demand alone and on reserved capacity
 * alone.
 *
 * @param from begin of the first hour, in UTC
 * @param to begin of the first hour that is left out
 * @param preliminary whether an hour may still change
 * @param lines by model and currency
 * @param waits what would have waited for reserved capacity, by model
 * @param notCompared use without a price, or without one on demand in the same currency
 * @param notComparedPaid what was paid for it, by currency
 */
record SavingsResponse(
    Instant from,
    Instant to,
    boolean preliminary,
    List<SavingsLine> lines,
    List<ReservedWait> waits,
    StatementUsed notCompared,
    List<StatementAmount> notComparedPaid) {
  /**
   * Use of one model. saved is allOnDemand less paid, beyondReserved is paid less reservedOnly.
   *
   * @param paid what it cost
   * @param allOnDemand what the same use would have cost on demand
   * @param saved below zero where on demand would have been cheaper
   * @param reservedOnly what its reserved part cost; the rest would have waited for time of
   *     reserved GPUs that is paid for in any case
   * @param beyondReserved what was paid so that it did not wait
   * @param parts by the capacity that was used
   */
  record SavingsLine(
      String model,
      String currency,
      StatementUsed used,
      BigDecimal paid,
      BigDecimal allOnDemand,
      BigDecimal saved,
      BigDecimal reservedOnly,
      BigDecimal beyondReserved,
      List<SavingsPart> parts) {
    private static SavingsLine of(Savings.Line line) {
      return new SavingsLine(
          line.model(),
          line.currency(),
          StatementUsed.of(line.milliMillis()),
          StatementLines.amount(line.paid()),
          StatementLines.amount(line.allOnDemand()),
          StatementLines.amount(line.saved()),
          StatementLines.amount(line.reservedOnly()),
          StatementLines.amount(line.beyondReserved()),
          line.parts().entrySet().stream()
              .map(part ->
                  new SavingsPart(
                      part.getKey(),
                      StatementUsed.of(part.getValue().milliMillis()),
                      StatementLines.amount(part.getValue().paid()),
                      StatementLines.amount(part.getValue().onDemand())))
              .toList());
    }
  }

  /**
   * Use of one capacity type.
   *
   * @param onDemand what it would have cost on demand
   */
  record SavingsPart(
      CapacityType capacity, StatementUsed used, BigDecimal paid, BigDecimal onDemand) {}

  /**
   * What would have waited for reserved GPUs of a model, at least.
   *
   * @param waiting use of other capacity, which would have come to wait
   * @param unserved what would still wait at the end
   * @param unknown use of hours of which it is not known what reserved capacity did; it is in no
   *     other amount
   * @param meanWaitSeconds mean of what would have come to wait, until the end for what still does
   */
  record ReservedWait(
      String model,
      StatementUsed waiting,
      StatementUsed unserved,
      StatementUsed unknown,
      long meanWaitSeconds) {
    private static final long SECOND_MILLIS = 1000;

    private static ReservedWait of(ReservedOnly.Wait wait) {
      return new ReservedWait(
          wait.model(),
          StatementUsed.of(wait.spilled()),
          StatementUsed.of(wait.unserved()),
          StatementUsed.of(wait.unknown()),
          wait.meanWaitMillis() / SECOND_MILLIS);
    }
  }

  static SavingsResponse of(SavingsQueries.Found found, Instant from, Instant to) {
    Savings savings = found.savings();
    return new SavingsResponse(
        from,
        to,
        found.preliminary(),
        savings.lines().stream().map(SavingsLine::of).toList(),
        found.waits().stream().map(ReservedWait::of).toList(),
        StatementUsed.of(savings.notCompared()),
        savings.notComparedPaid().entrySet().stream()
            .map(sum -> new StatementAmount(StatementLines.amount(sum.getValue()), sum.getKey()))
            .toList());
  }
}
