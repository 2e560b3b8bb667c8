package dev.fairlead.money.statement.web;

import dev.fairlead.money.statement.StatementTotals;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sums of the lines.
 *
 * @param used all use
 * @param withoutCost usage without a price or a known cluster
 * @param held storage held by volumes, null in statements that were signed before storage had
 *     prices
 * @param heldWithoutCost storage to which no price applied
 * @param amounts sums of the rounded amounts of lines, volumes and idle, by currency
 */
record StatementTotalsResponse(
    StatementLineResponse.StatementUsed used,
    StatementLineResponse.StatementUsed withoutCost,
    StatementVolumeResponse.@Nullable StatementHeld held,
    StatementVolumeResponse.@Nullable StatementHeld heldWithoutCost,
    List<StatementAmount> amounts) {
  /** A sum in one currency (ISO 4217). */
  record StatementAmount(BigDecimal amount, String currency) {}

  static StatementTotalsResponse of(StatementTotals totals) {
    return new StatementTotalsResponse(
        StatementLineResponse.StatementUsed.of(totals.milliMillis()),
        StatementLineResponse.StatementUsed.of(totals.withoutCost()),
        StatementVolumeResponse.StatementHeld.of(totals.gibMillis()),
        StatementVolumeResponse.StatementHeld.of(totals.gibWithoutCost()),
        totals.micros().entrySet().stream()
            .map(sum -> new StatementAmount(StatementLines.amount(sum.getValue()), sum.getKey()))
            .toList());
  }
}
