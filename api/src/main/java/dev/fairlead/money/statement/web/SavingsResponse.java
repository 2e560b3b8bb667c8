package dev.fairlead.money.statement.web;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.statement.Savings;
import dev.fairlead.money.statement.service.SavingsQueries;
import dev.fairlead.money.statement.web.StatementLineResponse.StatementUsed;
import dev.fairlead.money.statement.web.StatementTotalsResponse.StatementAmount;
import dev.fairlead.money.usage.ReservedOnly;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;

/**
 * Cost of the usage in a time range, compared with the cost of the same usage on on-demand capacity
 * only and on reserved capacity only.
 *
 * @param from start of the first hour, in UTC
 * @param to end of the last hour, exclusive
 * @param preliminary whether an hour may still change
 * @param lines savings by model and currency
 * @param waits expected waiting times for reserved capacity, by model
 * @param notCompared usage without a price, or without an on-demand price in the same currency
 * @param notComparedPaid amount paid for that usage, by currency
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
   * Usage of one model. saved is allOnDemand minus paid, and beyondReserved is paid minus
   * reservedOnly.
   *
   * @param paid amount paid for the usage
   * @param allOnDemand cost of the same usage at on-demand prices
   * @param saved saving, negative if on demand would have been cheaper
   * @param reservedOnly cost of the reserved part. The rest would have waited for reserved GPUs,
   *     which are paid for in any case
   * @param beyondReserved amount paid to avoid that wait
   * @param parts usage by capacity type
   */
  @RecordBuilder
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
      return SavingsResponseSavingsLineBuilder.builder()
          .model(line.model())
          .currency(line.currency())
          .used(StatementUsed.of(line.milliMillis()))
          .paid(StatementLines.amount(line.paid()))
          .allOnDemand(StatementLines.amount(line.allOnDemand()))
          .saved(StatementLines.amount(line.saved()))
          .reservedOnly(StatementLines.amount(line.reservedOnly()))
          .beyondReserved(StatementLines.amount(line.beyondReserved()))
          .parts(
              line.parts().entrySet().stream()
                  .map(part ->
                      new SavingsPart(
                          part.getKey(),
                          StatementUsed.of(part.getValue().milliMillis()),
                          StatementLines.amount(part.getValue().paid()),
                          StatementLines.amount(part.getValue().onDemand())))
                  .toList())
          .build();
    }
  }

  /**
   * Usage of one capacity type.
   *
   * @param onDemand cost of the same usage at on-demand prices
   */
  record SavingsPart(
      CapacityType capacity, StatementUsed used, BigDecimal paid, BigDecimal onDemand) {}

  /**
   * Lower bound of the wait for reserved GPUs of a model.
   *
   * @param waiting usage of other capacity that would have waited
   * @param unserved part that would still wait at the end of the time range
   * @param meanWaitSeconds mean wait in seconds. A wait that has not ended counts until the end of
   *     the time range
   */
  record ReservedWait(
      String model, StatementUsed waiting, StatementUsed unserved, long meanWaitSeconds) {
    private static final long SECOND_MILLIS = 1000;

    private static ReservedWait of(ReservedOnly.Wait wait) {
      return new ReservedWait(
          wait.model(),
          StatementUsed.of(wait.spilled()),
          StatementUsed.of(wait.unserved()),
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
