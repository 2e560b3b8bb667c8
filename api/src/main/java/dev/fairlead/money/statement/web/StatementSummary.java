package dev.fairlead.money.statement.web;

import dev.fairlead.money.statement.MonthTotals;
import org.jspecify.annotations.Nullable;

/**
 * A statement without its lines.
 *
 * @param month month in UTC, such as 2030-01
 * @param preliminary whether an hour of the month may still change
 * @param signed signature, null before the statement is signed
 */
record StatementSummary(
    String month,
    boolean preliminary,
    StatementResponse.@Nullable StatementSignature signed,
    StatementTotalsResponse totals) {
  static StatementSummary of(MonthTotals statement) {
    return new StatementSummary(
        statement.month().toString(),
        statement.preliminary(),
        StatementResponse.StatementSignature.of(statement.signed()),
        StatementTotalsResponse.of(statement.totals()));
  }
}
