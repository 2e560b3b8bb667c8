package dev.fairlead.work.spec;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.SortedSet;
import java.util.TreeSet;

/** The share of a driver in the time of its Ray cluster. Pure. */
public final class RayShare {
  private RayShare() {}

  /** Running time of a driver. The end is exclusive. */
  public record Span(Instant from, Instant to) {
    private boolean covers(Instant at) {
      return !at.isBefore(from) && at.isBefore(to);
    }
  }

  /**
   * The driver's time, each part divided by the number of concurrent drivers.
   *
   * @param others other drivers of the same Ray cluster
   */
  public static Duration of(Span own, Collection<Span> others) {
    SortedSet<Instant> changes = new TreeSet<>();
    changes.add(own.from());
    for (Span other : others) {
      for (Instant at : new Instant[] {other.from(), other.to()}) {
        if (own.covers(at)) {
          changes.add(at);
        }
      }
    }
    BigDecimal nanos = BigDecimal.ZERO;
    Instant last = own.to();
    for (Instant from : changes.reversed()) {
      long sharers = 1 + others.stream().filter(other -> other.covers(from)).count();
      nanos =
          nanos.add(
              new BigDecimal(Duration.between(from, last).toNanos())
                  .divide(new BigDecimal(sharers), MathContext.DECIMAL64));
      last = from;
    }
    return Duration.ofNanos(nanos.setScale(0, RoundingMode.HALF_EVEN).longValueExact());
  }
}
