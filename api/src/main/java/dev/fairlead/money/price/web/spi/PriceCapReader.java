package dev.fairlead.money.price.web.spi;

import dev.fairlead.kernel.body.Amounts;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.money.price.Money;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads what GPUs may cost at most: amounts beside one currency. */
public final class PriceCapReader {
  private static final String PRICE = "maxPricePerGpuHour";
  private static final String COST = "maxCost";
  private static final String CURRENCY = "currency";

  private PriceCapReader() {}

  /**
   * What a job pays at most.
   *
   * @param price of a GPU-hour, null for any
   * @param cost of an element by the longest runtime, null for any
   */
  public record JobCaps(@Nullable Money price, @Nullable Money cost) {
    /** Any price and cost. */
    public static final JobCaps NONE = new JobCaps(null, null);
  }

  /** Of {@code maxPricePerGpuHour} and {@code currency}, which go together; null without a cap. */
  public static @Nullable Money read(Fields fields) {
    return read(fields, List.of(PRICE)).price();
  }

  /** The same of a job, with {@code maxCost} in that currency. */
  public static JobCaps ofJob(Fields fields) {
    return read(fields, List.of(PRICE, COST));
  }

  private static JobCaps read(Fields fields, List<String> amounts) {
    Optional<String> currency = fields.get(CURRENCY).flatMap(Amounts::currency);
    List<String> given = amounts.stream().filter(fields::has).toList();
    if (given.isEmpty() == fields.has(CURRENCY)) {
      fields.refuse(
          given.isEmpty() ? CURRENCY : given.getFirst(),
          ProblemCode.CONFLICTING_FIELDS,
          String.join(" or ", given.isEmpty() ? amounts : given) + " and currency go together",
          "give both, for example 3.20 and USD");
    }
    return new JobCaps(
        amount(fields, PRICE, currency),
        amounts.contains(COST) ? amount(fields, COST, currency) : null);
  }

  private static @Nullable Money amount(Fields fields, String name, Optional<String> currency) {
    Optional<Long> micros = fields.get(name).flatMap(Amounts::micros);
    return micros.flatMap(m -> currency.map(c -> new Money(m, c))).orElse(null);
  }
}
