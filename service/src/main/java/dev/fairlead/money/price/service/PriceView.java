package dev.fairlead.money.price.service;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Commitment;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import java.math.BigDecimal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A price of the price book, as the API returns it. */
@RecordBuilder
@Schema(name = "PriceResponse")
public record PriceView(
    @Schema(description = "Id of the price") String id,
    @Schema(description = "Name of the cluster, or null for any") @Nullable String cluster,
    @Schema(description = "Name of the pool, or null for any") @Nullable String pool,
    @Schema(description = "GPU model, or null for any") @Nullable String model,
    @Schema(description = "Null for any type. RESERVED is paid for the whole period, used or not")
        @Nullable CapacityType capacityType,
    @Schema(description = "Price of one whole GPU for an hour, or null for storage")
        @Nullable BigDecimal pricePerGpuHour,
    @Schema(description = "Price of one GiB of a volume for a month in UTC, or null for GPUs")
        @Nullable BigDecimal pricePerGibMonth,
    @Schema(description = "Class of the storage, or null for any class and for GPUs")
        @Nullable String storageClass,
    @Schema(description = "Currency of the amounts, ISO 4217") String currency,
    @Schema(description = "Time from which the price applies") Instant from,
    @Schema(description = "Stored end: first instant without the price, or null if there is no end")
        @Nullable Instant to,
    @Schema(description = "Effective end, which a replacement may bring forward, or null")
        @Nullable Instant effectiveTo,
    @Schema(description = "Id of the price that ends at the start of this price, or null")
        @Nullable String replaces,
    @Schema(description = "Id of the price that ends this price, or null")
        @Nullable String replacedBy,
    @Schema(description = "GPUs that are paid for until the end, used or not, or null")
        @Nullable Committed commitment,
    @Schema(description = "Time when the price was added") Instant recordedAt) {
  /** A commitment, as the API returns it. */
  @Schema(name = "CommitmentResponse")
  public record Committed(
      @Schema(description = "Whole GPUs") int gpus,
      @Schema(description = "Cost of all of them until the end, in units of the currency")
          BigDecimal amount) {
    static @Nullable Committed of(@Nullable Commitment commitment, String currency) {
      return commitment == null
          ? null
          : new Committed(commitment.gpus(), new Money(commitment.micros(), currency).amount());
    }
  }

  /**
   * @param cluster name, or null for any
   */
  static PriceView of(PriceBook book, Price price, @Nullable String cluster) {
    PriceScope scope = price.scope();
    PriceScope.Storage storage = scope.storage();
    String currency = price.perUnit().currency();
    return PriceViewBuilder.builder()
        .id(price.id().text())
        .cluster(cluster)
        .pool(scope.pool())
        .model(scope.model())
        .capacityType(scope.capacityType())
        .pricePerGpuHour(storage == null ? price.perUnit().amount() : null)
        .pricePerGibMonth(storage == null ? null : price.perUnit().amount())
        .storageClass(storage == null ? null : storage.storageClass())
        .currency(currency)
        .from(price.validity().from())
        .to(price.validity().to())
        .effectiveTo(book.effective(price).to())
        .replaces(text(price.replaces()))
        .replacedBy(text(book.replacement(price.id()).map(Price::id).orElse(null)))
        .commitment(Committed.of(price.commitment(), currency))
        .recordedAt(price.recordedAt())
        .build();
  }

  private static @Nullable String text(@Nullable PriceId id) {
    return id == null ? null : id.text();
  }
}
