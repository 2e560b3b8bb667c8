package dev.fairlead.money.statement;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceSpans;
import java.math.BigInteger;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Adds use up to {@link Savings}. The on-demand price is the price of the usage's cluster outside
 * pools in the same hour and currency. If that cluster has no such price, the lowest price of all
 * clusters in the price book applies. Use with one price, and with one price on demand, is rounded
 * once.
 */
public final class SavingsSums {
  private final PriceSpans spans;
  private final List<ClusterId> named;
  private final Map<Rate, Long> compared = new LinkedHashMap<>();
  private final Map<Money, Long> notCompared = new LinkedHashMap<>();
  private long unpriced;
  private final Map<Hours, List<Money>> lowestFirst = new LinkedHashMap<>();

  public SavingsSums(PriceBook book, PriceSpans spans) {
    this.spans = spans;
    this.named =
        book.prices().stream()
            .flatMap(price -> Stream.ofNullable(price.scope().cluster()))
            .distinct()
            .toList();
  }

  private record Rate(Flavor flavor, Money own, Money onDemand) {}

  private record Hours(String model, int span) {}

  private record LineKey(String model, String currency) implements Comparable<LineKey> {
    private static final Comparator<LineKey> ORDER =
        Comparator.comparing(LineKey::model).thenComparing(LineKey::currency);

    @Override
    public int compareTo(LineKey other) {
      return ORDER.compare(this, other);
    }
  }

  /** Adds usage. The order does not matter. */
  public void add(StatementUse use) {
    StatementKey key = use.key();
    long amount = use.milliMillis();
    Optional<Money> own = money(spans.run(key.cluster(), key.pool(), key.flavor(), use.span()));
    if (own.isEmpty()) {
      unpriced = Math.addExact(unpriced, amount);
      return;
    }
    Money paid = own.get();
    onDemand(key, use.span(), paid)
        .ifPresentOrElse(
            other -> compared.merge(new Rate(key.flavor(), paid, other), amount, Math::addExact),
            () -> notCompared.merge(paid, amount, Math::addExact));
  }

  private static Optional<Money> money(PriceSpans.Run run) {
    return Optional.ofNullable(run.price()).map(Price::perUnit);
  }

  private Optional<Money> onDemand(StatementKey key, int span, Money own) {
    if (key.flavor().capacity() == CapacityType.ON_DEMAND) {
      return Optional.of(own);
    }
    Hours hours = new Hours(key.flavor().model(), span);
    return Stream.concat(
            onDemand(key.cluster(), hours).stream(),
            lowestFirst.computeIfAbsent(hours, this::ofNamed).stream())
        .filter(price -> price.currency().equals(own.currency()))
        .findFirst();
  }

  private Optional<Money> onDemand(ClusterId cluster, Hours hours) {
    return money(
        spans.run(cluster, "", new Flavor(hours.model(), CapacityType.ON_DEMAND), hours.span()));
  }

  private List<Money> ofNamed(Hours hours) {
    return named.stream()
        .flatMap(cluster -> onDemand(cluster, hours).stream())
        .sorted(Comparator.comparingLong(Money::micros))
        .toList();
  }

  /** Returns the savings of all added use. */
  public Savings savings() {
    SortedMap<LineKey, Map<CapacityType, Savings.Part>> lines = new TreeMap<>();
    compared.forEach((rate, amount) ->
        lines
            .computeIfAbsent(
                new LineKey(rate.flavor().model(), rate.own().currency()),
                k -> new EnumMap<>(CapacityType.class))
            .merge(
                rate.flavor().capacity(),
                new Savings.Part(
                    amount,
                    StatementLine.cost(rate.own(), amount),
                    StatementLine.cost(rate.onDemand(), amount)),
                Savings.Part::plus));
    SortedMap<String, BigInteger> paid = new TreeMap<>();
    notCompared.forEach((own, amount) ->
        paid.merge(own.currency(), StatementLine.cost(own, amount), BigInteger::add));
    return new Savings(
        lines.entrySet().stream()
            .map(e -> new Savings.Line(e.getKey().model(), e.getKey().currency(), e.getValue()))
            .toList(),
        notCompared.values().stream().reduce(unpriced, Math::addExact),
        paid);
  }
}
