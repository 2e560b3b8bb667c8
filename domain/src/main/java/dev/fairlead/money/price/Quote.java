package dev.fairlead.money.price;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Cost of GPUs of one part of a cluster, at the prices of one instant. Later prices are not
 * included.
 *
 * @param lines cost by GPU model
 * @param perHour cost of an hour, null if a GPU model has no price or the currencies differ
 * @param byMaxRuntime cost until the end of the maximum run time, null if maxRuntime or perHour is
 *     absent
 * @param sunk whether the capacity is paid whether it is used or not, like reserved capacity
 * @param soFar cost of its time until now, null if it is not known or is a part of usage reports
 */
public record Quote(
    List<Line> lines,
    @Nullable Money perHour,
    @Nullable Money byMaxRuntime,
    boolean sunk,
    @Nullable Money soFar) {
  private static final BigDecimal MILLI = new BigDecimal(1000);
  private static final BigDecimal HOUR = new BigDecimal(Duration.ofHours(1).toMillis());
  private static final BigDecimal MOST = new BigDecimal(Long.MAX_VALUE);

  /**
   * GPUs of one model.
   *
   * @param price price of the model, null if none
   */
  public record Line(String model, long gpuMilli, @Nullable Price price) {}

  public Quote {
    lines = List.copyOf(lines);
  }

  /** GPUs in thousandths by model, of one pool and one capacity type. */
  public record Demand(
      ClusterId cluster,
      @Nullable String pool,
      CapacityType capacityType,
      SortedMap<String, Long> gpuMilli) {}

  /**
   * Computes the quote at the prices of an instant, rounded up to a millionth.
   *
   * @param longest maximum run time, null if unlimited
   */
  public static Quote of(PriceBook book, Demand demand, Instant at, @Nullable Duration longest) {
    List<Line> lines = new ArrayList<>();
    demand
        .gpuMilli()
        .forEach((model, milli) ->
            lines.add(
                new Line(
                    model,
                    milli,
                    book.at(demand.cluster(), demand.pool(), model, demand.capacityType(), at)
                        .orElse(null))));
    BigDecimal hour = hour(lines);
    String currency = hour == null ? null : currency(lines);
    return new Quote(
        lines,
        money(hour, currency),
        longest == null || hour == null
            ? null
            : money(
                hour.multiply(new BigDecimal(longest.toMillis()))
                    .divide(HOUR, 0, RoundingMode.CEILING),
                currency),
        demand.capacityType() == CapacityType.RESERVED,
        null);
  }

  /** Returns the cost of this time as the cost until now. */
  public Quote spent(Duration time) {
    return withSoFar(
        perHour == null
            ? null
            : money(
                new BigDecimal(perHour.micros())
                    .multiply(new BigDecimal(time.toMillis()))
                    .divide(HOUR, 0, RoundingMode.CEILING),
                perHour.currency()));
  }

  /** Returns the quote with this cost until now. */
  public Quote withSoFar(@Nullable Money cost) {
    return new Quote(lines, perHour, byMaxRuntime, sunk, cost);
  }

  private static @Nullable Money money(@Nullable BigDecimal micros, @Nullable String currency) {
    return micros == null || currency == null
        ? null
        : new Money(micros.setScale(0, RoundingMode.CEILING).min(MOST).longValueExact(), currency);
  }

  /** Exact millionths per hour, null if a model has no price. */
  private static @Nullable BigDecimal hour(List<Line> lines) {
    BigDecimal sum = BigDecimal.ZERO;
    for (Line line : lines) {
      Price price = line.price();
      if (price == null) {
        return null;
      }
      sum =
          sum.add(
              new BigDecimal(price.perUnit().micros())
                  .multiply(new BigDecimal(line.gpuMilli()))
                  .divide(MILLI));
    }
    return sum;
  }

  /** The common currency of all lines, null if they differ or no line exists. */
  private static @Nullable String currency(List<Line> lines) {
    List<String> all =
        lines.stream()
            .map(Line::price)
            .filter(Objects::nonNull)
            .map(price -> price.perUnit().currency())
            .distinct()
            .toList();
    return all.size() == 1 ? all.getFirst() : null;
  }
}
