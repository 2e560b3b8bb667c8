package dev.fairlead.fleet.quota.web;

import dev.fairlead.fleet.quota.LimitChange;
import dev.fairlead.fleet.quota.QuotaLimit;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A period in which the amounts of a limit are constant.
 *
 * @param start start of the period, now for the current amounts
 * @param end end of the period, null if none
 * @param timezone time zone of the window that opens or closes at the start
 * @param nominal quota that the subtree owns in the period, null if unlimited
 * @param borrowingLimit maximum usage beyond the nominal quota, null if only the available quota
 *     limits it
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
