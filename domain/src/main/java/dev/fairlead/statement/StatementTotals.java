package dev.fairlead.statement;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What lines add up to. Amounts of money are sums of the rounded lines.
 *
 * @param milliMillis all use, in thousandths of a GPU times milliseconds
 * @param withoutCost the part of it that has no price
 * @param micros millionths of a unit by currency
 */
public record StatementTotals(long milliMillis, long withoutCost, SortedMap<String, Long> micros) {
  public StatementTotals {
    micros = Collections.unmodifiableSortedMap(new TreeMap<>(micros));
  }

  public static StatementTotals of(List<StatementLine> lines) {
    long all = 0;
    long withoutCost = 0;
    SortedMap<String, Long> micros = new TreeMap<>();
    for (StatementLine line : lines) {
      all = Math.addExact(all, line.milliMillis());
      StatementLine.Charge charge = line.charge();
      if (charge == null) {
        withoutCost += line.milliMillis();
      } else {
        micros.merge(charge.perGpuHour().currency(), charge.micros(), Math::addExact);
      }
    }
    return new StatementTotals(all, withoutCost, micros);
  }
}
