package dev.fairlead.fleet.quota.postgres;

import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Read model of a row of {@code quota_limit}. */
record QuotaLimitRow(
    UUID node,
    String model,
    String capacity,
    String resource,
    @Nullable Long nominal,
    @Nullable Long borrowingLimit,
    @Nullable Long lendingLimit,
    @Nullable String windows) {
  QuotaLimit limit() {
    Flavor flavor = new Flavor(model, CapacityType.valueOf(capacity));
    return LimitWindowText.read(
        new QuotaLimit(flavor, resource, nominal, borrowingLimit, lendingLimit), windows);
  }
}
