package dev.fairlead.money.price.postgres;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Commitment;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import dev.fairlead.money.price.Validity;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Row of {@code price} as it is read. */
record PriceRow(
    UUID id,
    @Nullable UUID cluster,
    @Nullable String pool,
    @Nullable String model,
    @Nullable CapacityType capacityType,
    long micros,
    String currency,
    Instant from,
    @Nullable Instant to,
    @Nullable UUID replaces,
    @Nullable Integer committedGpus,
    @Nullable Long committedMicros,
    boolean storage,
    @Nullable String storageClass,
    Instant recordedAt) {
  Price price() {
    return new Price(
        new PriceId(id),
        scope(),
        new Money(micros, currency),
        new Validity(from, to),
        replaces == null ? null : new PriceId(replaces),
        committedGpus == null || committedMicros == null
            ? null
            : new Commitment(committedGpus, committedMicros),
        recordedAt);
  }

  private PriceScope scope() {
    return new PriceScope(
        cluster == null ? null : new ClusterId(cluster),
        pool,
        model,
        capacityType,
        storage ? new PriceScope.Storage(storageClass) : null);
  }
}
