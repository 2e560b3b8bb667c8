package dev.fairlead.price.postgres;

import dev.fairlead.identity.ClusterId;
import dev.fairlead.price.Commitment;
import dev.fairlead.price.Money;
import dev.fairlead.price.Price;
import dev.fairlead.price.PriceId;
import dev.fairlead.price.PriceScope;
import dev.fairlead.price.Validity;
import dev.fairlead.resources.CapacityType;
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
