package dev.fairlead.work.serving.cost;

import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.key.UseSpan;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Cost of the replicas of a service in a period: their use in statements at the prices of
 * statements.
 *
 * @param scaled millionths of the currency times {@link #GPU_HOUR}, which is exact, null if the
 *     cost is unknown
 * @param currency ISO 4217, null if the cost is unknown
 * @param unknown reason why it is unknown, null if it is known
 */
public record ServiceCost(
    @Nullable BigDecimal scaled, @Nullable String currency, @Nullable Unknown unknown) {
  /** Thousandths of a GPU times milliseconds in a GPU-hour. */
  static final BigDecimal GPU_HOUR = BigDecimal.valueOf(3_600_000_000L);

  private static final BigDecimal THOUSAND = BigDecimal.valueOf(1000);

  /** Reasons why the cost of tokens is unknown. */
  public enum Unknown {
    /** No replica held a GPU, and only GPUs have prices. */
    NO_GPU_TIME,
    /** A GPU of a replica has no price for a part of the period. */
    NO_PRICE,
    /** The prices have different currencies. */
    CURRENCIES,
    /** The responses reported no tokens, so the cost cannot be divided. */
    NO_TOKENS
  }

  private static ServiceCost without(Unknown reason) {
    return new ServiceCost(null, null, reason);
  }

  /** Reads the times of spans. */
  public interface Reader {
    /**
     * @param begins begins of the spans, milliseconds since 1970 in ascending order
     * @param toMillis end of the last span
     */
    List<ReplicaTime> times(List<Long> begins, long toMillis);
  }

  /**
   * Cost of each service in each period by its begin, from one reading. The price at the start of
   * an hour counts for the hour, as in statements.
   *
   * @param periods begins of the periods, at least one. Other rows may be between them
   */
  public static SortedMap<ModelServiceId, SortedMap<Instant, ServiceCost>> of(
      PriceBook book,
      UseSpan.Period period,
      SortedSet<Instant> periods,
      Set<ModelServiceId> services,
      Reader reader) {
    Instant to = period.end(periods.last());
    PriceSpans prices = new PriceSpans(book, periods.first(), to);
    SortedSet<Long> cuts = new TreeSet<>(prices.begins());
    for (Instant begin : periods) {
      cuts.add(begin.toEpochMilli());
      cuts.add(period.end(begin).toEpochMilli());
    }
    cuts.remove(to.toEpochMilli());
    List<Long> begins = List.copyOf(cuts);
    SortedMap<ModelServiceId, TreeMap<Instant, List<ReplicaTime>>> times =
        reader.times(begins, to.toEpochMilli()).stream()
            .collect(
                Collectors.groupingBy(
                    ReplicaTime::service,
                    TreeMap::new,
                    Collectors.groupingBy(
                        time -> period.begin(Instant.ofEpochMilli(begins.get(time.span()))),
                        TreeMap::new,
                        Collectors.toList())));
    SortedMap<ModelServiceId, SortedMap<Instant, ServiceCost>> costs = new TreeMap<>();
    for (ModelServiceId service : services) {
      SortedMap<Instant, ServiceCost> ofService = new TreeMap<>();
      SortedMap<Instant, List<ReplicaTime>> its = times.getOrDefault(service, new TreeMap<>());
      for (Instant begin : periods) {
        ofService.put(begin, sum(prices, begins, its.getOrDefault(begin, List.of())));
      }
      costs.put(service, ofService);
    }
    return costs;
  }

  private static ServiceCost sum(PriceSpans prices, List<Long> begins, List<ReplicaTime> times) {
    Map<String, BigDecimal> sums = new TreeMap<>();
    for (ReplicaTime time : times) {
      int span = prices.begins().size() - 1;
      while (prices.begins().get(span) > begins.get(time.span())) {
        span--;
      }
      Price price = prices.run(time.cluster(), time.pool(), time.flavor(), span).price();
      if (price == null) {
        return without(Unknown.NO_PRICE);
      }
      Money each = price.perUnit();
      BigDecimal _ =
          sums.merge(
              each.currency(),
              BigDecimal.valueOf(time.milliMillis()).multiply(BigDecimal.valueOf(each.micros())),
              BigDecimal::add);
    }
    if (sums.size() != 1) {
      return without(sums.isEmpty() ? Unknown.NO_GPU_TIME : Unknown.CURRENCIES);
    }
    var only = sums.entrySet().iterator().next();
    return new ServiceCost(only.getValue(), only.getKey(), null);
  }

  /** The cost in millionths of the currency, rounded half to even, empty if it is unknown. */
  public Optional<BigInteger> micros() {
    return Optional.ofNullable(scaled)
        .map(all -> all.divide(GPU_HOUR, 0, RoundingMode.HALF_EVEN).toBigIntegerExact());
  }

  /**
   * Part of some tokens in the cost, in units of the currency, rounded half to even to a millionth.
   * The result is empty if it is unknown.
   *
   * @param tokens tokens of the part
   * @param all tokens of the period, which is not 0 if the part has any
   */
  public Optional<BigDecimal> share(long tokens, long all) {
    return divided(BigDecimal.valueOf(tokens), all);
  }

  /**
   * Cost of 1,000 tokens, as {@link #share}.
   *
   * @param all tokens of the period
   */
  public Optional<BigDecimal> perThousand(long all) {
    return divided(THOUSAND, all);
  }

  private Optional<BigDecimal> divided(BigDecimal part, long all) {
    return scaled == null || all == 0
        ? Optional.empty()
        : Optional.of(
            scaled
                .multiply(part)
                .divide(GPU_HOUR.multiply(BigDecimal.valueOf(all)), 0, RoundingMode.HALF_EVEN)
                .movePointLeft(Money.MICRO_DIGITS));
  }

  /** Reason why tokens have no cost, empty if they have a cost. */
  public Optional<Unknown> unknown(long all) {
    return unknown != null
        ? Optional.of(unknown)
        : all == 0 ? Optional.of(Unknown.NO_TOKENS) : Optional.empty();
  }
}
