package dev.fairlead.money.price.web.spi;

import dev.fairlead.kernel.body.AmountFields;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.money.price.Money;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the price cap of a job: amounts in one currency. */
public final class PriceCapReader {
  private static final String PRICE = "maxPricePerGpuHour";
  private static final String COST = "maxCost";
  private static final String CURRENCY = "currency";

  private PriceCapReader() {}

  /**
   * The price cap of a job.
   *
   * @param price highest price of a GPU-hour, null for no cap
   * @param cost highest cost of an element until its maxRuntime, null for no cap
   */
  public record JobCaps(@Nullable Money price, @Nullable Money cost) {
    /** No cap on price or cost. */
    public static final JobCaps NONE = new JobCaps(null, null);
  }

  /**
   * Reads {@code maxPricePerGpuHour} and {@code currency}, which require each other. Null without a
   * cap.
   */
  public static @Nullable Money read(Fields fields) {
    return read(fields, List.of(PRICE)).price();
  }

  /** Like the method above for a job, which may also have {@code maxCost} in that currency. */
  public static JobCaps ofJob(Fields fields) {
    return read(fields, List.of(PRICE, COST));
  }

  private static JobCaps read(Fields fields, List<String> amounts) {
    Optional<String> currency = fields.get(CURRENCY).flatMap(AmountFields::currency);
    List<String> given = amounts.stream().filter(fields::has).toList();
    if (given.isEmpty() == fields.has(CURRENCY)) {
      fields.refuse(
          given.isEmpty() ? CURRENCY : given.getFirst(),
          ProblemCode.CONFLICTING_FIELDS,
          String.join(" or ", given.isEmpty() ? amounts : given)
              + " and currency require each other. Set both, for example 3.20 and USD.",
          null);
    }
    return new JobCaps(
        amount(fields, PRICE, currency),
        amounts.contains(COST) ? amount(fields, COST, currency) : null);
  }

  private static @Nullable Money amount(Fields fields, String name, Optional<String> currency) {
    Optional<Long> micros = fields.get(name).flatMap(AmountFields::micros);
    return micros.flatMap(m -> currency.map(c -> new Money(m, c))).orElse(null);
  }
}
