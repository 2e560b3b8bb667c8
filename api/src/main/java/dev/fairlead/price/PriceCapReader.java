package dev.fairlead.price;

import dev.fairlead.body.Amounts;
import dev.fairlead.body.Fields;
import dev.fairlead.problem.ProblemCode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the most that a GPU may cost an hour. */
public final class PriceCapReader {
  private PriceCapReader() {}

  /** Of {@code maxPricePerGpuHour} and {@code currency}, which go together; null without a cap. */
  public static @Nullable Money read(Fields fields) {
    Optional<Long> micros = fields.get("maxPricePerGpuHour").flatMap(Amounts::micros);
    Optional<String> currency = fields.get("currency").flatMap(Amounts::currency);
    if (fields.has("maxPricePerGpuHour") != fields.has("currency")) {
      fields.refuse(
          fields.has("currency") ? "currency" : "maxPricePerGpuHour",
          ProblemCode.CONFLICTING_FIELDS,
          "maxPricePerGpuHour and currency go together",
          "give both, for example 3.20 and USD");
    }
    return micros.isPresent() && currency.isPresent()
        ? new Money(micros.get(), currency.get())
        : null;
  }
}
