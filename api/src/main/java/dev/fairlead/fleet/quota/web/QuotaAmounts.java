package dev.fairlead.fleet.quota.web;

import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.resources.Quantity;
import dev.fairlead.kernel.resources.ResourceNames;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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

  /** Reports an amount that the resource cannot have. A resource that is refused is null. */
  static void check(Fields given, String name, @Nullable String resource) {
    if (resource != null) {
      given
          .get(name)
          .filter(value -> value.isText() || value.isNumber())
          .ifPresent(value -> {
            Optional<Long> _ = read(value, resource);
          });
    }
  }

  /** The amount in a request without problems. Null for none. */
  static @Nullable Long of(@Nullable String text, String resource) {
    return text == null ? null : parse(text, resource).orElseThrow();
  }

  private static Optional<Long> parse(String text, String resource) {
    return (resource.equals(ResourceNames.MEMORY) ? Quantity.mebibytes(text) : Quantity.milli(text))
        .filter(amount -> amount <= MOST);
  }

  private static Optional<Long> read(Value value, String resource) {
    boolean memory = resource.equals(ResourceNames.MEMORY);
    return value
        .quantityText()
        .flatMap(text ->
            parse(text, resource)
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
