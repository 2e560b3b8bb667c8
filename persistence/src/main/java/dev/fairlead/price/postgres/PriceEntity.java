package dev.fairlead.price.postgres;

import dev.fairlead.cluster.ClusterId;
import dev.fairlead.price.Money;
import dev.fairlead.price.Price;
import dev.fairlead.price.PriceId;
import dev.fairlead.price.PriceScope;
import dev.fairlead.price.Validity;
import dev.fairlead.resources.CapacityType;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Row of {@code price}. */
@Entity
@Table(name = "price")
class PriceEntity {
  @Id UUID id = new UUID(0, 0);
  @Nullable UUID cluster;
  @Nullable String pool;
  @Nullable String model;

  @Enumerated(EnumType.STRING)
  @Column(name = "capacity_type")
  @Nullable CapacityType capacityType;

  long micros;
  String currency = "";

  @Column(name = "valid_from")
  Instant from = Instant.EPOCH;

  @Column(name = "valid_to")
  @Nullable Instant to;

  @Nullable UUID replaces;

  @Column(name = "recorded_at")
  Instant recordedAt = Instant.EPOCH;

  static PriceEntity of(Price price) {
    PriceEntity row = new PriceEntity();
    ClusterId cluster = price.scope().cluster();
    PriceId replaces = price.replaces();
    row.id = price.id().value();
    row.cluster = cluster == null ? null : cluster.value();
    row.pool = price.scope().pool();
    row.model = price.scope().model();
    row.capacityType = price.scope().capacityType();
    row.micros = price.perGpuHour().micros();
    row.currency = price.perGpuHour().currency();
    row.from = price.validity().from();
    row.to = price.validity().to();
    row.replaces = replaces == null ? null : replaces.value();
    row.recordedAt = price.recordedAt();
    return row;
  }

  Price price() {
    return new Price(
        new PriceId(id),
        new PriceScope(cluster == null ? null : new ClusterId(cluster), pool, model, capacityType),
        new Money(micros, currency),
        new Validity(from, to),
        replaces == null ? null : new PriceId(replaces),
        recordedAt);
  }
}
