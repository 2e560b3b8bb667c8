package dev.fairlead.fleet.quota.web;

import dev.fairlead.fleet.quota.LimitWindow;
import dev.fairlead.kernel.resources.DurationText;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Amounts of a limit while a window is open. At least one of them is required. */
@Schema(name = "LimitWindow")
record LimitWindowRequest(
    @Schema(
            description =
                "Opening times: minute, hour, day of month, month and day of week, as in"
                    + " crontab(5), at most once an hour",
            example = "0 22 * * 1-5")
        String cron,
    @Schema(
            description =
                "Duration of each opening by the clock of its time zone: whole minutes, at"
                    + " most 31d",
            example = "8h")
        String duration,
    @Schema(description = "Time zone by its IANA name", example = "Europe/Berlin") String timezone,
    @Schema(
            types = {"number", "string", "null"},
            description = "Nominal quota of the subtree in the window. Unchanged when absent")
        @Nullable Object nominal,
    @Schema(
            types = {"number", "string", "null"},
            description =
                "Maximum usage beyond the nominal quota in the window. Unchanged when absent")
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
