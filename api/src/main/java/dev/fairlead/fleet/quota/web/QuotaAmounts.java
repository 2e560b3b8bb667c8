package dev.fairlead.fleet.quota.web;

import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.resources.Quantity;
import dev.fairlead.kernel.resources.ResourceNames;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;

/**
 * Amounts of quota: GPUs and cores as decimals, memory as a quantity. Stored in thousandths and
 * MiB.
 */
final class QuotaAmounts {
  /** Resources with a quota. */
  static final List<String> RESOURCES =
      List.of(ResourceNames.GPU, ResourceNames.CPU, ResourceNames.MEMORY);

  private static final long MOST = 1L << 50;

  private QuotaAmounts() {}

  static Optional<Long> read(Value value, String resource) {
    boolean memory = resource.equals(ResourceNames.MEMORY);
    return value
        .quantityText()
        .flatMap(text ->
            (memory ? Quantity.mebibytes(text) : Quantity.milli(text))
                .filter(amount -> amount <= MOST)
                .or(() ->
                    value.bad(
                        "must be "
                            + (memory ? "memory such as 16Gi" : "a number such as 64 or 0.5")
                            + ", not "
                            + value.shown(),
                        null)));
  }

  /** A number for GPUs, and a Kubernetes quantity as text for other resources. */
  static Object write(long amount, String resource) {
    return switch (resource) {
      case ResourceNames.MEMORY -> Quantity.ofMebibytes(amount);
      case ResourceNames.GPU -> new BigDecimal(Quantity.ofMilli(amount));
      case ResourceNames.CPU -> Quantity.ofMilli(amount);
      default -> amount;
    };
  }
}
