package dev.fairlead.money.statement.web;

import dev.fairlead.money.statement.Statement;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Usage and cost of a tenant in a month. A signed statement never changes.
 *
 * @param month month in UTC, such as 2030-01
 * @param from start of the month
 * @param to end of the month
 * @param preliminary whether an hour of the month may still change
 * @param signed signature, null before the statement is signed
 * @param volumes storage of volumes by name, null in statements that were signed before storage had
 *     prices
 * @param tokens usage of model services by key. Its cost is part of the lines and is not added to
 *     any total. Null in statements that were signed before tokens were shown
 * @param idle the tenant's share of idle cost, null in statements that were signed before idle cost
 *     policies existed
 */
@RecordBuilder
record StatementResponse(
    String month,
    StatementLineResponse.StatementThing tenant,
    Instant from,
    Instant to,
    boolean preliminary,
    @Nullable StatementSignature signed,
    StatementTotalsResponse totals,
    List<StatementLineResponse> lines,
    @Nullable List<StatementVolumeResponse> volumes,
    @Nullable List<StatementTokensResponse> tokens,
    @Nullable List<IdleShareResponse> idle) {
  /** Caller that signed the statement, and the time. */
  record StatementSignature(String by, Instant at) {
    static @Nullable StatementSignature of(Statement.@Nullable Signature signature) {
      return signature == null ? null : new StatementSignature(signature.by(), signature.at());
    }
  }

  static StatementResponse of(Statement statement) {
    return StatementResponseBuilder.builder()
        .month(statement.month().toString())
        .tenant(
            new StatementLineResponse.StatementThing(
                statement.tenant().text(), statement.tenantName()))
        .from(Statement.begin(statement.month()))
        .to(Statement.end(statement.month()))
        .preliminary(statement.preliminary())
        .signed(StatementSignature.of(statement.signed()))
        .totals(StatementTotalsResponse.of(statement.totals()))
        .lines(statement.lines().stream().map(StatementLines::response).toList())
        .volumes(statement.volumes().stream().map(StatementVolumeResponse::of).toList())
        .tokens(statement.tokens().stream().map(StatementTokensResponse::of).toList())
        .idle(statement.idle().stream().map(IdleShareResponse::of).toList())
        .build();
  }
}
