package dev.fairlead.work.job.web.view;

import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.Quote;
import dev.fairlead.work.job.web.spec.GpuResponse;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Cost of GPUs at the prices of the price book.
 *
 * @param perHour cost of an hour in units of the currency, null if a GPU model has no price or the
 *     currencies differ
 * @param byMaxRuntime cost until the end of {@code maxRuntime}, null if maxRuntime or perHour is
 *     absent
 * @param soFar cost of the share of a job with {@code rayPool} in its Ray cluster, until now or
 *     until the job ended, at current prices. The amount is shown but not charged. Null for other
 *     jobs
 * @param currency currency of the amounts (ISO 4217)
 * @param sunk whether the capacity is paid whether it is used or not, like reserved capacity
 * @param lines cost by GPU model
 */
record CostResponse(
    @Nullable BigDecimal perHour,
    @Nullable BigDecimal byMaxRuntime,
    @Nullable BigDecimal soFar,
    @Nullable String currency,
    boolean sunk,
    List<CostLine> lines) {
  /**
   * GPUs of one model.
   *
   * @param price id of the price, null if there is no price
   */
  record CostLine(
      String model,
      BigDecimal gpus,
      @Nullable BigDecimal pricePerGpuHour,
      @Nullable String currency,
      @Nullable String price) {
    static CostLine of(Quote.Line line) {
      Price price = line.price();
      return new CostLine(
          line.model(),
          GpuResponse.gpus(line.gpuMilli()),
          price == null ? null : price.perUnit().amount(),
          price == null ? null : price.perUnit().currency(),
          price == null ? null : price.id().text());
    }
  }

  /** Returns null for a quote without GPUs and without a cost until now. */
  static @Nullable CostResponse of(Quote quote) {
    Money hour = quote.perHour();
    Money total = quote.byMaxRuntime();
    Money spent = quote.soFar();
    Money known = hour == null ? spent : hour;
    return quote.lines().isEmpty() && spent == null
        ? null
        : new CostResponse(
            hour == null ? null : hour.amount(),
            total == null ? null : total.amount(),
            spent == null ? null : spent.amount(),
            known == null ? null : known.currency(),
            quote.sunk(),
            quote.lines().stream().map(CostLine::of).toList());
  }
}
