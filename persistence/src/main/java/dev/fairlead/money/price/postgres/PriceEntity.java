package dev.fairlead.money.price.postgres;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.postgres.NewRow;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Commitment;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** New row of {@code price}; none is changed, so it has no version. */
@Entity
@Table(name = "price")
class PriceEntity implements NewRow<UUID> {
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

  @Column(name = "committed_gpus")
  @Nullable Integer committedGpus;

  @Column(name = "committed_micros")
  @Nullable Long committedMicros;

  boolean storage;

  @Column(name = "storage_class")
  @Nullable String storageClass;

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
    row.micros = price.perUnit().micros();
    row.currency = price.perUnit().currency();
    row.from = price.validity().from();
    row.to = price.validity().to();
    row.replaces = replaces == null ? null : replaces.value();
    Commitment commitment = price.commitment();
    row.committedGpus = commitment == null ? null : commitment.gpus();
    row.committedMicros = commitment == null ? null : commitment.micros();
    PriceScope.Storage storage = price.scope().storage();
    row.storage = storage != null;
    row.storageClass = storage == null ? null : storage.storageClass();
    row.recordedAt = price.recordedAt();
    return row;
  }

  @Override
  public UUID getId() {
    return id;
  }
}
