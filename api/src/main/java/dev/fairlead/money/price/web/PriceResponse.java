package dev.fairlead.money.price.web;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Commitment;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import dev.fairlead.money.price.service.PriceView;
import java.math.BigDecimal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of the price book. Only effectiveTo and replacedBy ever change, and neither for a time that
 * has passed.
 *
 * @param cluster name, null for any
 * @param pool name, null for any
 * @param model GPU model, null for any
 * @param capacityType null for any; RESERVED is paid for its whole time, used or not
 * @param pricePerGpuHour of one whole GPU, in units of the currency; null of storage
 * @param pricePerGibMonth of one GiB of a volume for a month of the calendar; null of GPUs
 * @param storageClass null for any, and of GPUs
 * @param currency ISO 4217
 * @param from first instant at which it applies
 * @param to first instant at which it no longer does, null for ever; as it was written
 * @param effectiveTo as replacements left it
 * @param replaces the price that ends where this one begins
 * @param replacedBy the price that ends this one
 * @param commitment GPUs that are paid for until to, used or not; null of a price by use
 */
record PriceResponse(
    String id,
    @Nullable String cluster,
    @Nullable String pool,
    @Nullable String model,
    @Nullable CapacityType capacityType,
    @Nullable BigDecimal pricePerGpuHour,
    @Nullable BigDecimal pricePerGibMonth,
    @Nullable String storageClass,
    String currency,
    Instant from,
    @Nullable Instant to,
    @Nullable Instant effectiveTo,
    @Nullable String replaces,
    @Nullable String replacedBy,
    @Nullable CommitmentResponse commitment,
    Instant recordedAt) {
  /**
   * What is paid in any case.
   *
   * @param gpus whole GPUs
   * @param amount what all of them cost until the end, in units of the currency
   */
  record CommitmentResponse(int gpus, BigDecimal amount) {
    static @Nullable CommitmentResponse of(Price price) {
      Commitment commitment = price.commitment();
      return commitment == null
          ? null
          : new CommitmentResponse(
              commitment.gpus(),
              new Money(commitment.micros(), price.perUnit().currency()).amount());
    }
  }

  static PriceResponse of(PriceView view) {
    Price price = view.price();
    Price next = view.replacedBy();
    PriceId replaces = price.replaces();
    PriceScope.Storage storage = price.scope().storage();
    return new PriceResponse(
        price.id().text(),
        view.cluster(),
        price.scope().pool(),
        price.scope().model(),
        price.scope().capacityType(),
        storage == null ? price.perUnit().amount() : null,
        storage == null ? null : price.perUnit().amount(),
        storage == null ? null : storage.storageClass(),
        price.perUnit().currency(),
        price.validity().from(),
        price.validity().to(),
        view.effective().to(),
        replaces == null ? null : replaces.text(),
        next == null ? null : next.id().text(),
        CommitmentResponse.of(price),
        price.recordedAt());
  }
}
