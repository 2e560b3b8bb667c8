package dev.fairlead.fleet.quota.web;

import dev.fairlead.fleet.quota.LimitChange;
import dev.fairlead.fleet.quota.QuotaLimit;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A time for which a limit has the same amounts.
 *
 * @param start now, for the amounts of now
 * @param end when they are others; null for never
 * @param timezone of the window that opens or closes at the start
 * @param nominal what the subtree owns then; null = unlimited
 * @param borrowingLimit what it may take beyond that; null = whatever is there
 */
record LimitChangeResponse(
    String flavor,
    String resource,
    Instant start,
    @Nullable Instant end,
    String timezone,
    @Schema(types = {"number", "string", "null"}) @Nullable Object nominal,
    @Schema(types = {"number", "string", "null"}) @Nullable Object borrowingLimit) {
  static LimitChangeResponse of(LimitChange change) {
    QuotaLimit limit = change.limit();
    Long nominal = limit.nominal();
    Long borrowing = limit.borrowingLimit();
    return new LimitChangeResponse(
        limit.flavor().text(),
        limit.resource(),
        change.at(),
        change.until(),
        change.zone().getId(),
        nominal == null ? null : QuotaAmounts.write(nominal, limit.resource()),
        borrowing == null ? null : QuotaAmounts.write(borrowing, limit.resource()));
  }
}
