package dev.fairlead.money.price.service;

import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.Validity;
import org.jspecify.annotations.Nullable;

/**
 * A price as people read it.
 *
 * @param cluster name of it, null for any
 * @param effective when it applies, as later rows left it
 * @param replacedBy null when none does
 */
public record PriceView(
    Price price, @Nullable String cluster, Validity effective, @Nullable Price replacedBy) {}
