package dev.fairlead.money.price;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.Flavor;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Hours in spans within which no price begins or ends. The price at the start of an hour applies to
 * the whole hour, so each span begins with an hour.
 */
public final class PriceSpans {
  /**
   * Hours with one price.
   *
   * @param price null if none
   */
  public record Run(Instant from, Instant to, @Nullable Price price) {}

  private record Capacity(ClusterId cluster, String pool, Flavor flavor) {}

  private record Storage(ClusterId cluster, @Nullable String storageClass) {}

  private final PriceBook book;
  private final List<Instant> begins;
  private final Instant end;
  private final Map<Capacity, Run[]> known = new LinkedHashMap<>();
  private final Map<Storage, List<Run>> ofStorage = new LinkedHashMap<>();

  /**
   * @param from start of an hour
   * @param to start of a later hour
   */
  public PriceSpans(PriceBook book, Instant from, Instant to) {
    this.book = book;
    this.end = to;
    Stream<Instant> changes = book.changes().filter(at -> at.isAfter(from)).map(PriceSpans::hour);
    this.begins =
        Stream.concat(Stream.of(from), changes.filter(at -> at.isBefore(to)))
            .distinct()
            .sorted()
            .toList();
  }

  /** The start of the first hour to which it applies. */
  private static Instant hour(Instant change) {
    Instant hour = change.truncatedTo(ChronoUnit.HOURS);
    return hour.equals(change) ? hour : hour.plus(Duration.ofHours(1));
  }

  /** Milliseconds since 1970, in order, the start of all first. */
  public List<Long> begins() {
    return begins.stream().map(Instant::toEpochMilli).toList();
  }

  /** First moment after the last span. */
  public long endMillis() {
    return end.toEpochMilli();
  }

  /** Start of the hour that holds a moment. */
  public static Instant begin(long millis) {
    return Instant.ofEpochMilli(millis).truncatedTo(ChronoUnit.HOURS);
  }

  /** Start of the next hour after a moment. */
  public static Instant end(long millis) {
    return begin(millis).plus(Duration.ofHours(1));
  }

  /**
   * The hours around a span with the same price.
   *
   * @param pool empty for nodes of none
   */
  public Run run(ClusterId cluster, String pool, Flavor flavor, int span) {
    return known.computeIfAbsent(new Capacity(cluster, pool, flavor), this::runs)[span];
  }

  /**
   * All hours in their order, cut where the price of this storage changes.
   *
   * @param storageClass null for the default of the cluster
   */
  public List<Run> storage(ClusterId cluster, @Nullable String storageClass) {
    return ofStorage.computeIfAbsent(
        new Storage(cluster, storageClass),
        s -> Stream.of(runs(book.covering(s.cluster(), s.storageClass()))).distinct().toList());
  }

  private Run[] runs(Capacity capacity) {
    return runs(
        book.covering(
            capacity.cluster(),
            capacity.pool().isEmpty() ? null : capacity.pool(),
            capacity.flavor().model(),
            capacity.flavor().capacity()));
  }

  private Run[] runs(List<Price> covering) {
    @Nullable Price[] prices = prices(covering);
    Run[] runs = new Run[prices.length];
    int after = runs.length;
    Instant to = end;
    for (int i = runs.length - 1; i >= 0; i--) {
      if (i == 0 || !Objects.equals(prices[i - 1], prices[i])) {
        Arrays.fill(runs, i, after, new Run(begins.get(i), to, prices[i]));
        after = i;
        to = begins.get(i);
      }
    }
    return runs;
  }

  /**
   * The price of each span: less specific prices are written first, then overwritten by more
   * specific ones. At most one price of a scope applies at any instant.
   */
  private @Nullable Price[] prices(List<Price> covering) {
    @Nullable Price[] prices = new @Nullable Price[begins.size()];
    for (Price price : covering.reversed()) {
      Validity validity = book.effective(price);
      Instant until = validity.to();
      int first = begun(validity.from());
      int last = until == null ? prices.length : begun(until);
      if (first < last) {
        Arrays.fill(prices, first, last, price);
      }
    }
    return prices;
  }

  /** The first span that begins at this instant or later. */
  private int begun(Instant at) {
    int found = Collections.binarySearch(begins, at);
    return found < 0 ? -found - 1 : found;
  }
}
