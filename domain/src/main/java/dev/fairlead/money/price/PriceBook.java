package dev.fairlead.money.price;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.CapacityType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All prices. The most specific matching price at an instant applies: a price that names the pool,
 * then the cluster, then the model, then the capacity type. For storage, the cluster, then the
 * storage class. At most one price of a scope applies at any instant.
 */
public final class PriceBook {
  /** Maximum number of rows in a book. */
  public static final int MOST = 10_000;

  public static final PriceBook EMPTY = new PriceBook(List.of());

  private final SortedMap<PriceId, Price> prices = new TreeMap<>();
  private final SortedMap<PriceId, Price> replacements = new TreeMap<>();
  private final SortedMap<PriceId, Validity> effective = new TreeMap<>();
  private final List<Price> specificFirst;

  /** The book of stored prices. */
  public static PriceBook of(List<ConfigDocument<Price>> documents) {
    return new PriceBook(documents.stream().map(ConfigDocument::value).toList());
  }

  public PriceBook(Collection<Price> prices) {
    for (Price price : prices) {
      this.prices.put(price.id(), price);
      PriceId replaced = price.replaces();
      if (replaced != null) {
        replacements.put(replaced, price);
      }
    }
    for (Price price : prices) {
      if (!replacements.containsKey(price.id())) {
        endReplaced(price);
      }
    }
    specificFirst =
        this.prices.values().stream()
            .sorted(Comparator.comparing(Price::scope, PriceScope.SPECIFIC_FIRST))
            .toList();
  }

  /** Each price of a chain ends when the first of its replacements begins. */
  private void endReplaced(Price last) {
    effective.put(last.id(), last.validity());
    Instant end = last.validity().from();
    PriceId replaced = last.replaces();
    while (replaced != null) {
      Price price = prices.get(replaced);
      if (price == null) {
        return;
      }
      effective.put(replaced, price.validity().until(end));
      end = price.validity().from().isBefore(end) ? price.validity().from() : end;
      replaced = price.replaces();
    }
  }

  /**
   * Returns whether the other book has the same rows. Rows never change, so equal ids mean equal
   * rows.
   */
  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || other instanceof PriceBook book && prices.keySet().equals(book.prices.keySet());
  }

  @Override
  public int hashCode() {
    return prices.keySet().hashCode();
  }

  /**
   * The book without the prices of other pools. Prices for any pool remain.
   *
   * @param pools names
   */
  public PriceBook ofPools(Collection<String> pools) {
    return new PriceBook(
        prices.values().stream()
            .filter(price -> {
              String pool = price.scope().pool();
              return pool == null || pools.contains(pool);
            })
            .toList());
  }

  /** Ordered by id, the oldest first. */
  public List<Price> prices() {
    return List.copyOf(prices.values());
  }

  public Optional<Price> price(PriceId id) {
    return Optional.ofNullable(prices.get(id));
  }

  /** The price that replaces it, empty if it is not replaced. */
  public Optional<Price> replacement(PriceId id) {
    return Optional.ofNullable(replacements.get(id));
  }

  /**
   * The price of one GPU of this capacity at an instant, empty if no price applies. Later rows do
   * not change the response for an instant that has passed.
   *
   * @param pool name of the node's pool, null for nodes of none
   */
  public Optional<Price> at(
      ClusterId cluster, @Nullable String pool, String model, CapacityType type, Instant at) {
    for (Price price : specificFirst) {
      if (price.scope().covers(cluster, pool, model, type) && effective(price).covers(at)) {
        return Optional.of(price);
      }
    }
    return Optional.empty();
  }

  /** All past and future prices of this capacity, most specific first. */
  public List<Price> covering(
      ClusterId cluster, @Nullable String pool, String model, CapacityType type) {
    return specificFirst.stream()
        .filter(price -> price.scope().covers(cluster, pool, model, type))
        .toList();
  }

  /**
   * All past and future prices of this storage, most specific first.
   *
   * @param storageClass null for the default of the cluster
   */
  public List<Price> covering(ClusterId cluster, @Nullable String storageClass) {
    return specificFirst.stream()
        .filter(price -> price.scope().covers(cluster, storageClass))
        .toList();
  }

  /** All instants at which a price begins or ends, in no order. */
  public Stream<Instant> changes() {
    return prices.values().stream()
        .map(this::effective)
        .flatMap(validity -> Stream.of(validity.from(), validity.to()))
        .flatMap(Stream::ofNullable);
  }

  /** The first instant after this one at which a price begins or ends, empty when none does. */
  public Optional<Instant> nextChange(Instant after) {
    return changes().filter(at -> at.isAfter(after)).min(Comparator.naturalOrder());
  }

  /**
   * Effective validity of a price of the book: it ends when the first of its replacements begins.
   */
  public Validity effective(Price price) {
    return effective.getOrDefault(price.id(), price.validity());
  }

  /**
   * Returns the reason why the book refuses the price, empty if it accepts the price.
   *
   * @param now the database's time
   */
  public Optional<FieldProblem> objection(Price next, Instant now) {
    Validity validity = next.validity();
    if (validity.from().isBefore(now)) {
      return bad(
          "/from",
          "Past prices never change: from is "
              + validity.from()
              + ", before now ("
              + now
              + "). Set a later time, or omit it to start now.");
    }
    if (validity.empty()) {
      return bad("/to", "to must be after from (" + validity.from() + ").");
    }
    if (next.perUnit().micros() > Money.MOST_MICROS) {
      return bad(
          next.commitment() == null ? "" : "/commitment/amount",
          ("That is more than 1000000 %s for a GPU-hour. Set the cost of all GPUs for the whole"
                  + " period.")
              .formatted(next.perUnit().currency()));
    }
    return replacing(next).or(() -> overlapping(next));
  }

  private Optional<FieldProblem> replacing(Price next) {
    PriceId id = next.replaces();
    if (id == null) {
      return Optional.empty();
    }
    Price old = prices.get(id);
    if (old == null) {
      return bad("/replaces", "There is no price " + id.text() + ".");
    }
    if (old.commitment() != null) {
      return bad(
          "/replaces",
          ("Price %s is a commitment that is paid until %s. Set that time as the start of the"
                  + " next price.")
              .formatted(id.text(), old.validity().to()));
    }
    if (!old.scope().equals(next.scope())) {
      return bad(
          "/replaces",
          "Price "
              + id.text()
              + " is for a different cluster, pool, model, capacity type or storage. Repeat its"
              + " own.");
    }
    Price other = replacements.get(id);
    if (other != null) {
      return bad(
          "/replaces",
          "Price %s is already replaced by %s. Replace that one."
              .formatted(id.text(), other.id().text()));
    }
    Instant end = effective(old).to();
    return end != null && !next.validity().from().isBefore(end)
        ? bad("/replaces", "Price " + id.text() + " ends at " + end + ". Leave replaces out.")
        : Optional.empty();
  }

  private Optional<FieldProblem> overlapping(Price next) {
    List<Price> with = new ArrayList<>(prices.values());
    with.add(next);
    PriceBook then = new PriceBook(with);
    return prices.values().stream()
        .filter(old -> old.scope().equals(next.scope()))
        .filter(old -> then.effective(old).overlaps(next.validity()))
        .findFirst()
        .flatMap(old ->
            bad(
                "/from",
                ("Two prices would apply at the same time: %s of %s applies from %s %s. Choose"
                        + " another time, or give it as replaces to end it at %s.")
                    .formatted(
                        old.id().text(),
                        old.perUnit().text(),
                        old.validity().from(),
                        ended(then.effective(old)),
                        next.validity().from())));
  }

  private static String ended(Validity validity) {
    Instant to = validity.to();
    return to == null ? "without an end" : "to " + to;
  }

  private static Optional<FieldProblem> bad(String pointer, String detail) {
    return Optional.of(new FieldProblem(pointer, ProblemCode.INVALID_FIELD, detail, null));
  }
}
