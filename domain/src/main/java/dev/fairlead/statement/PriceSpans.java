package dev.fairlead.statement;

import dev.fairlead.cluster.ClusterId;
import dev.fairlead.price.Price;
import dev.fairlead.price.PriceBook;
import dev.fairlead.resources.Flavor;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The hours of a month in spans within which no price begins or ends. The price at the begin of an
 * hour counts for all of it, so each span begins with an hour.
 */
public final class PriceSpans {
  /**
   * Hours for which one price counts.
   *
   * @param price null for none
   */
  record Run(Instant from, Instant to, @Nullable Price price) {}

  private record Capacity(ClusterId cluster, String pool, Flavor flavor) {}

  private final PriceBook book;
  private final List<Instant> begins = new ArrayList<>();
  private final Instant end;
  private final Run unpriced;
  private final Map<Capacity, Run[]> known = new LinkedHashMap<>();

  /**
   * @param from begin of an hour
   * @param to begin of a later hour
   */
  public PriceSpans(PriceBook book, Instant from, Instant to) {
    this.book = book;
    this.end = to;
    this.unpriced = new Run(from, to, null);
    Optional<Instant> begin = Optional.of(from);
    while (begin.isPresent()) {
      begins.add(begin.get());
      begin = book.nextChange(begin.get()).map(PriceSpans::hour).filter(at -> at.isBefore(to));
    }
  }

  /** The begin of the first hour for which it counts. */
  private static Instant hour(Instant change) {
    Instant hour = change.truncatedTo(ChronoUnit.HOURS);
    return hour.equals(change) ? hour : hour.plus(Duration.ofHours(1));
  }

  /** Milliseconds since 1970, in order, the begin of the month first. */
  public List<Long> begins() {
    return begins.stream().map(Instant::toEpochMilli).toList();
  }

  /** First moment that is no longer in the last one. */
  public long endMillis() {
    return end.toEpochMilli();
  }

  /** The hours around a span for which the same price counts. */
  Run run(StatementKey key, int span) {
    ClusterId cluster = key.cluster();
    return cluster == null
        ? unpriced
        : known.computeIfAbsent(new Capacity(cluster, key.pool(), key.flavor()), this::runs)[span];
  }

  private Run[] runs(Capacity capacity) {
    List<Optional<Price>> prices = begins.stream().map(at -> price(capacity, at)).toList();
    Run[] runs = new Run[prices.size()];
    int after = runs.length;
    Instant to = end;
    for (int i = runs.length - 1; i >= 0; i--) {
      if (i == 0 || !Objects.equals(prices.get(i - 1), prices.get(i))) {
        Arrays.fill(runs, i, after, new Run(begins.get(i), to, prices.get(i).orElse(null)));
        after = i;
        to = begins.get(i);
      }
    }
    return runs;
  }

  private Optional<Price> price(Capacity capacity, Instant at) {
    return book.at(
        capacity.cluster(),
        capacity.pool().isEmpty() ? null : capacity.pool(),
        capacity.flavor().model(),
        capacity.flavor().capacity(),
        at);
  }
}
