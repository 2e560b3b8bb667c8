package dev.fairlead.fleet.quota.web;

import dev.fairlead.fleet.quota.LimitWindow;
import dev.fairlead.kernel.resources.DurationText;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Amounts of a limit while a window is open.
 *
 * @param cron opening times: minute, hour, day of month, month and day of week, as in crontab(5)
 * @param duration duration of each opening in local time of its time zone
 * @param timezone time zone by its IANA name
 * @param nominal nominal quota of the subtree in the window, null if unchanged
 * @param borrowingLimit maximum use beyond the nominal quota in the window, null if unchanged
 */
@Schema(name = "LimitWindow")
record LimitWindowResponse(
    String cron,
    String duration,
    String timezone,
    @Schema(types = {"number", "string", "null"}) @Nullable Object nominal,
    @Schema(types = {"number", "string", "null"}) @Nullable Object borrowingLimit) {
  /** Null for none. */
  static @Nullable List<LimitWindowResponse> of(List<LimitWindow> windows, String resource) {
    return windows.isEmpty() ? null : windows.stream().map(each -> of(each, resource)).toList();
  }

  private static LimitWindowResponse of(LimitWindow each, String resource) {
    Long nominal = each.nominal();
    Long borrowing = each.borrowingLimit();
    return new LimitWindowResponse(
        each.window().cron().text(),
        DurationText.of(each.window().duration()),
        each.window().zone().getId(),
        nominal == null ? null : QuotaAmounts.write(nominal, resource),
        borrowing == null ? null : QuotaAmounts.write(borrowing, resource));
  }
}
