package dev.fairlead.money.statement.web;

import dev.fairlead.money.statement.StatementTotals;
import dev.fairlead.money.statement.service.Statements;
import java.time.YearMonth;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows that a signed statement would have in addition if it were created now. Rows that should not
 * exist have negative amounts.
 *
 * @param totals sums of the rows
 * @param lines corrections of lines, empty without a difference
 * @param volumes corrections of volumes, null in statements that were signed before storage had
 *     prices
 * @param idle corrections of the tenant's share of idle cost, null in statements that were signed
 *     before idle cost policies existed
 */
record StatementCorrectionsResponse(
    String month,
    StatementTotalsResponse totals,
    List<StatementLineResponse> lines,
    @Nullable List<StatementVolumeResponse> volumes,
    @Nullable List<IdleShareResponse> idle) {
  static StatementCorrectionsResponse of(YearMonth month, Statements.CorrectionLines rows) {
    return new StatementCorrectionsResponse(
        month.toString(),
        StatementTotalsResponse.of(StatementTotals.of(rows.lines(), rows.volumes(), rows.idle())),
        rows.lines().stream().map(StatementLines::response).toList(),
        rows.volumes().stream().map(StatementVolumeResponse::of).toList(),
        rows.idle().stream().map(IdleShareResponse::of).toList());
  }
}
