package dev.fairlead.money.statement.web;

import dev.fairlead.money.statement.StatementTotals;
import dev.fairlead.money.statement.service.Statements;
import java.time.YearMonth;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows that a signed statement would have more if it were made now; those that it should not have
 * are below zero.
 *
 * @param totals what the rows add up to
 * @param lines empty when nothing differs
 * @param volumes the same of volumes; null from versions without them
 * @param idle the same of what the tenant pays of capacity that no job used; null from versions
 *     without it
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
