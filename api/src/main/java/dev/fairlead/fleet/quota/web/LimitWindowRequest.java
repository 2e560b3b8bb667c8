package dev.fairlead.fleet.quota.web;

import dev.fairlead.fleet.quota.LimitWindow;
import dev.fairlead.kernel.resources.DurationText;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Other amounts of a limit while a window is open; at least one of them. */
@Schema(name = "LimitWindow")
record LimitWindowRequest(
    @Schema(
            description =
                "When it opens: minute, hour, day of month, month and day of week, as in"
                    + " crontab(5); once an hour at most",
            example = "0 22 * * 1-5")
        String cron,
    @Schema(
            description =
                "How long it is open on the clock of its zone: whole minutes, at most 31d",
            example = "8h")
        String duration,
    @Schema(description = "Name of the IANA database", example = "Europe/Berlin") String timezone,
    @Schema(
            types = {"number", "string", "null"},
            description =
                "Amount that the subtree owns in the window; by default as outside of the window")
        @Nullable Object nominal,
    @Schema(
            types = {"number", "string", "null"},
            description =
                "Amount that it may borrow in the window; by default as outside of the window")
        @Nullable Object borrowingLimit) {
  /** Null for none. */
  static @Nullable List<LimitWindowRequest> of(List<LimitWindow> windows, String resource) {
    return windows.isEmpty() ? null : windows.stream().map(each -> of(each, resource)).toList();
  }

  private static LimitWindowRequest of(LimitWindow each, String resource) {
    Long nominal = each.nominal();
    Long borrowing = each.borrowingLimit();
    return new LimitWindowRequest(
        each.window().cron().text(),
        DurationText.of(each.window().duration()),
        each.window().zone().getId(),
        nominal == null ? null : QuotaAmounts.write(nominal, resource),
        borrowing == null ? null : QuotaAmounts.write(borrowing, resource));
  }
}
