package dev.fairlead.money.statement;

import dev.fairlead.money.price.Commitment;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.money.price.Validity;
import dev.fairlead.money.usage.FleetUse;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Adds up the cost of commitments in a span of hours, and their used part. Unused capacity of an
 * hour is lost: use above the commitment in another hour does not offset it.
 */
public final class CommitmentSums {
  private static final long HOUR_MILLIS = Duration.ofHours(1).toMillis();
  private static final long MILLI = 1000;
  private final PriceBook book;
  private final PriceSpans spans;
  private final List<Long> begins;
  private final SortedMap<PriceId, BigInteger> used = new TreeMap<>();
  private final SortedMap<PriceId, BigInteger> beyond = new TreeMap<>();
  private final SortedMap<PriceId, Long> inHour = new TreeMap<>();
  private long hour = Long.MIN_VALUE;

  public CommitmentSums(PriceBook book, PriceSpans spans) {
    this.book = book;
    this.spans = spans;
    this.begins = spans.begins();
  }

  /** Requires the rows of one hour together. */
  public void add(FleetUse use) {
    if (use.hourMillis() != hour) {
      endHour();
      hour = use.hourMillis();
    }
    int found = Collections.binarySearch(begins, use.hourMillis());
    int span = found < 0 ? -found - 2 : found;
    Price price = spans.run(use.cluster(), use.pool(), use.flavor(), span).price();
    if (price != null && price.commitment() != null) {
      inHour.merge(price.id(), use.milliMillis(), Math::addExact);
    }
  }

  private void endHour() {
    inHour.forEach((id, milliMillis) -> {
      Price price = book.price(id).orElseThrow();
      BigInteger all = BigInteger.valueOf(milliMillis);
      BigInteger within = all.min(committed(price, hour, hour + HOUR_MILLIS));
      used.merge(id, within, BigInteger::add);
      beyond.merge(id, all.subtract(within), BigInteger::add);
    });
    inHour.clear();
  }

  /** Returns the result for each commitment of the span, by id, after all use was added. */
  public List<CommitmentLine> lines() {
    endHour();
    return book.prices().stream()
        .filter(price -> price.commitment() != null)
        .map(this::line)
        .filter(line -> line.committed().signum() > 0)
        .toList();
  }

  private CommitmentLine line(Price price) {
    BigInteger committed = committed(price, begins.getFirst(), spans.endMillis());
    Commitment commitment = Objects.requireNonNull(price.commitment());
    BigDecimal whole = new BigDecimal(committed(price, Long.MIN_VALUE, Long.MAX_VALUE));
    BigInteger cost =
        whole.signum() == 0
            ? BigInteger.ZERO
            : new BigDecimal(committed.multiply(BigInteger.valueOf(commitment.micros())))
                .divide(whole, 0, RoundingMode.HALF_EVEN)
                .toBigInteger();
    return new CommitmentLine(
        price,
        committed,
        used.getOrDefault(price.id(), BigInteger.ZERO),
        beyond.getOrDefault(price.id(), BigInteger.ZERO),
        cost);
  }

  /** Committed amount between two moments. */
  private static BigInteger committed(Price price, long fromMillis, long toMillis) {
    Validity validity = price.validity();
    Instant to = Objects.requireNonNull(validity.to(), "a commitment ends");
    long millis =
        Math.min(to.toEpochMilli(), toMillis)
            - Math.max(validity.from().toEpochMilli(), fromMillis);
    return BigInteger.valueOf(Math.max(0, millis))
        .multiply(BigInteger.valueOf(Objects.requireNonNull(price.commitment()).gpus() * MILLI));
  }
}
