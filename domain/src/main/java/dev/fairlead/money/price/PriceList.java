package dev.fairlead.money.price;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The prices of one instant. Looks each capacity up in the book only once. Not thread-safe. */
public final class PriceList {
  private final PriceBook book;
  private final Instant at;
  private final Map<Capacity, Optional<Price>> known = new LinkedHashMap<>();

  public PriceList(PriceBook book, Instant at) {
    this.book = book;
    this.at = at;
  }

  private record Capacity(
      ClusterId cluster, @Nullable String pool, String model, CapacityType type) {}

  /**
   * Like {@link PriceBook#at}, without its id.
   *
   * @return for one whole GPU and hour, null when no price applies
   */
  public @Nullable Money of(
      ClusterId cluster, @Nullable String pool, String model, CapacityType type) {
    return known
        .computeIfAbsent(
            new Capacity(cluster, pool, model, type), c -> book.at(cluster, pool, model, type, at))
        .map(Price::perUnit)
        .orElse(null);
  }
}
