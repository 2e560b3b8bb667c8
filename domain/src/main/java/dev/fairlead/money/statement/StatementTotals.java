package dev.fairlead.money.statement;

import dev.fairlead.money.price.Money;
import java.math.BigInteger;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Totals of lines. Amounts of money are sums of the rounded lines, including volumes and charges
 * for idle capacity.
 *
 * @param milliMillis all use, in thousandths of a GPU times milliseconds
 * @param withoutCost the part without a price
 * @param gibMillis storage of volumes, in GiB times milliseconds
 * @param gibWithoutCost the part without a price
 * @param micros millionths of a unit by currency, of any size
 */
public record StatementTotals(
    long milliMillis,
    long withoutCost,
    BigInteger gibMillis,
    BigInteger gibWithoutCost,
    SortedMap<String, BigInteger> micros) {
  public StatementTotals {
    micros = Collections.unmodifiableSortedMap(new TreeMap<>(micros));
  }

  public static StatementTotals of(
      List<StatementLine> lines, List<VolumeLine> volumes, List<IdleLine> idle) {
    Sum sum = new Sum();
    lines.forEach(sum::add);
    volumes.forEach(sum::add);
    idle.forEach(sum::add);
    return sum.totals();
  }

  /** Sums lines one by one, without storing them. */
  public static final class Sum {
    private long all;
    private long withoutCost;
    private BigInteger gib = BigInteger.ZERO;
    private BigInteger gibWithoutCost = BigInteger.ZERO;
    private final SortedMap<String, BigInteger> micros = new TreeMap<>();

    public void add(StatementLine line) {
      all = Math.addExact(all, line.milliMillis());
      StatementLine.Charge charge = line.charge();
      if (charge == null) {
        withoutCost = Math.addExact(withoutCost, line.milliMillis());
      } else {
        micros.merge(charge.perGpuHour().currency(), charge.micros(), BigInteger::add);
      }
    }

    public void add(VolumeLine line) {
      gib = gib.add(line.gibMillis());
      VolumeLine.Charge charge = line.charge();
      if (charge == null) {
        gibWithoutCost = gibWithoutCost.add(line.gibMillis());
      } else {
        micros.merge(charge.perGibMonth().currency(), charge.micros(), BigInteger::add);
      }
    }

    public void add(IdleLine share) {
      Money price = share.key().perGpuHour();
      if (price != null) {
        micros.merge(price.currency(), share.micros(), BigInteger::add);
      }
    }

    public StatementTotals totals() {
      return new StatementTotals(all, withoutCost, gib, gibWithoutCost, micros);
    }
  }
}
