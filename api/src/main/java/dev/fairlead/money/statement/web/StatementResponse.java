package dev.fairlead.money.statement.web;

import dev.fairlead.money.statement.Statement;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a tenant used in a month and what it costs. A signed one is answered byte by byte as it was
 * signed.
 *
 * @param month such as 2030-01, in UTC
 * @param from begin of the month
 * @param to its end
 * @param preliminary whether an hour of it may still change
 * @param signed null until it is
 * @param volumes what volumes held, by their names; null in what was signed before storage had
 *     prices
 * @param idle what the tenant pays of capacity that no job used; null in what was signed before
 *     there were policies of it
 */
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
    @Nullable List<IdleShareResponse> idle) {
  /** Which caller signed it, and when. */
  record StatementSignature(String by, Instant at) {
    static @Nullable StatementSignature of(Statement.@Nullable Signature signature) {
      return signature == null ? null : new StatementSignature(signature.by(), signature.at());
    }
  }

  static StatementResponse of(Statement statement) {
    return new StatementResponse(
        statement.month().toString(),
        new StatementLineResponse.StatementThing(statement.tenant().text(), statement.tenantName()),
        Statement.begin(statement.month()),
        Statement.end(statement.month()),
        statement.preliminary(),
        StatementSignature.of(statement.signed()),
        StatementTotalsResponse.of(statement.totals()),
        statement.lines().stream().map(StatementLines::response).toList(),
        statement.volumes().stream().map(StatementVolumeResponse::of).toList(),
        statement.idle().stream().map(IdleShareResponse::of).toList());
  }
}
