package dev.fairlead.verify;

import java.math.BigDecimal;
import java.util.Locale;

/**
 * A measured figure with its floor.
 *
 * @param more whether more is better. A figure equal to the floor is good in either case
 */
public record Figure(String name, double value, String unit, double floor, boolean more) {
  public static Figure atLeast(String name, double value, String unit, double floor) {
    return new Figure(name, value, unit, floor, true);
  }

  public static Figure atMost(String name, double value, String unit, double floor) {
    return new Figure(name, value, unit, floor, false);
  }

  public boolean good() {
    return more ? value >= floor : value <= floor;
  }

  public String line() {
    return String.format(
        Locale.ROOT,
        "%-60s %10.2f %-7s floor %s %s%s",
        name,
        value,
        unit,
        more ? ">=" : "<=",
        new BigDecimal(Double.toString(floor)).stripTrailingZeros().toPlainString(),
        good() ? "" : "   MISSED");
  }
}
