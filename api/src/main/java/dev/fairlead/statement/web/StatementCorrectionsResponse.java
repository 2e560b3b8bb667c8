package dev.fairlead.statement.web;

import dev.fairlead.statement.StatementLine;
import dev.fairlead.statement.StatementTotals;
import java.time.YearMonth;
import java.util.List;

/**
 * Rows that a signed statement would have more if it were made now; those that it should not have
 * are below zero.
 *
 * @param totals what the rows add up to
 * @param lines empty when nothing differs
 */
record StatementCorrectionsResponse(
    String month, StatementTotalsResponse totals, List<StatementLineResponse> lines) {
  static StatementCorrectionsResponse of(YearMonth month, List<StatementLine> rows) {
    return new StatementCorrectionsResponse(
        month.toString(),
        StatementTotalsResponse.of(StatementTotals.of(rows)),
        rows.stream().map(StatementLines::response).toList());
  }
}
