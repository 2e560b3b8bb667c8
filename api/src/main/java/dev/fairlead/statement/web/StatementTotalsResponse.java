package dev.fairlead.statement.web;

import dev.fairlead.statement.StatementTotals;
import java.math.BigDecimal;
import java.util.List;

/**
 * What the lines add up to.
 *
 * @param used all use
 * @param withoutCost the part of it that has no price, or of which no cluster is known
 * @param amounts sums of the rounded amounts of the lines and of idle, by currency
 */
record StatementTotalsResponse(
    StatementLineResponse.StatementUsed used,
    StatementLineResponse.StatementUsed withoutCost,
    List<StatementAmount> amounts) {
  /** A sum in one currency (ISO 4217). */
  record StatementAmount(BigDecimal amount, String currency) {}

  static StatementTotalsResponse of(StatementTotals totals) {
    return new StatementTotalsResponse(
        StatementLineResponse.StatementUsed.of(totals.milliMillis()),
        StatementLineResponse.StatementUsed.of(totals.withoutCost()),
        totals.micros().entrySet().stream()
            .map(sum -> new StatementAmount(StatementLines.amount(sum.getValue()), sum.getKey()))
            .toList());
  }
}
