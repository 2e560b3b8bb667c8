package dev.fairlead.money.price.service;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Commitment;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A price as its operator wants it; null is any.
 *
 * @param cluster id or name
 * @param pool name
 * @param storage null for GPUs
 * @param perUnit as that of {@link dev.fairlead.money.price.Price}
 * @param from null for now
 * @param to null for ever
 * @param replaces the price that ends where this one begins, null for none
 * @param commitment from which the price of a GPU-hour follows; null for a price by use
 */
public record PriceDraft(
    @Nullable String cluster,
    @Nullable String pool,
    @Nullable String model,
    @Nullable CapacityType capacityType,
    PriceScope.@Nullable Storage storage,
    Money perUnit,
    @Nullable Instant from,
    @Nullable Instant to,
    @Nullable PriceId replaces,
    @Nullable Commitment commitment) {}
