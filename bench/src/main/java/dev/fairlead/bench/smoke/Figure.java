package dev.fairlead.bench.smoke;

import java.util.Locale;

/**
 * A measured figure beside its floor.
 *
 * @param more whether more is better; the floor itself is good either way
 */
record Figure(String name, double value, String unit, double floor, boolean more) {
  static Figure atLeast(String name, double value, String unit, double floor) {
    return new Figure(name, value, unit, floor, true);
  }

  static Figure atMost(String name, double value, String unit, double floor) {
    return new Figure(name, value, unit, floor, false);
  }

  boolean good() {
    return more ? value >= floor : value <= floor;
  }

  String line() {
    return String.format(
        Locale.ROOT,
        "%-34s %10.2f %-7s floor %s %.0f%s",
        name,
        value,
        unit,
        more ? ">=" : "<=",
        floor,
        good() ? "" : "   MISSED");
  }
}
