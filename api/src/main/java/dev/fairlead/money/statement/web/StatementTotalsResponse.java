package dev.fairlead.money.statement.web;

import dev.fairlead.money.statement.StatementTotals;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the lines add up to.
 *
 * @param used all use
 * @param withoutCost the part of it that has no price, or of which no cluster is known
 * @param held what volumes held; null in what was signed before storage had prices
 * @param heldWithoutCost the part of it that has no price
 * @param amounts sums of the rounded amounts of the lines, of volumes and of idle, by currency
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
