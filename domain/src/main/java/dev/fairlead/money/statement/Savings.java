package dev.fairlead.money.statement;

import dev.fairlead.kernel.resources.CapacityType;
import java.math.BigInteger;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Cost of the same usage as paid, on demand, and for its reserved part. Amounts of money are
 * millionths of a unit of a currency, of any size.
 *
 * @param lines lines by model and currency
 * @param notCompared use without a price, or without one on demand in the same currency, in
 *     thousandths of a GPU times milliseconds. It is part of no line
 * @param notComparedPaid its cost, by currency
 */
public record Savings(
    List<Line> lines, long notCompared, SortedMap<String, BigInteger> notComparedPaid) {
  public Savings {
    lines = List.copyOf(lines);
    notComparedPaid = Collections.unmodifiableSortedMap(new TreeMap<>(notComparedPaid));
  }

  /**
   * Usage of one model with prices in one currency.
   *
   * @param parts parts by the used capacity
   */
  public record Line(String model, String currency, Map<CapacityType, Part> parts) {
    public Line {
      parts = Collections.unmodifiableMap(new EnumMap<>(parts));
    }

    /** Returns the time in thousandths of a GPU times milliseconds. */
    public long milliMillis() {
      return parts.values().stream().mapToLong(Part::milliMillis).sum();
    }

    /** Paid amount. */
    public BigInteger paid() {
      return parts.values().stream().map(Part::paid).reduce(BigInteger.ZERO, BigInteger::add);
    }

    /** Cost of the same usage on demand. */
    public BigInteger allOnDemand() {
      return parts.values().stream().map(Part::onDemand).reduce(BigInteger.ZERO, BigInteger::add);
    }

    /** Below zero where on demand would have been cheaper. */
    public BigInteger saved() {
      return allOnDemand().subtract(paid());
    }

    /**
     * Cost on reserved capacity only: other usage would have waited for free time that is paid for
     * in any case.
     */
    public BigInteger reservedOnly() {
      Part reserved = parts.get(CapacityType.RESERVED);
      return reserved == null ? BigInteger.ZERO : reserved.paid();
    }

    /** Cost that avoided waits for reserved capacity. */
    public BigInteger beyondReserved() {
      return paid().subtract(reservedOnly());
    }
  }

  /**
   * @param milliMillis thousandths of a GPU times milliseconds
   * @param paid cost as paid
   * @param onDemand cost on demand
   */
  public record Part(long milliMillis, BigInteger paid, BigInteger onDemand) {
    Part plus(Part more) {
      return new Part(
          Math.addExact(milliMillis, more.milliMillis),
          paid.add(more.paid),
          onDemand.add(more.onDemand));
    }
  }
}
