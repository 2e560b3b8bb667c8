package dev.fairlead.work.job.web;

import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.Quote;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What GPUs cost by the price book.
 *
 * @param perHour in units of the currency; null when a model has no price or currencies differ
 * @param byMaxRuntime to the end of {@code maxRuntime}; null without one, or as perHour
 * @param currency of both, ISO 4217
 * @param sunk whether it is paid for in any case, as reserved capacity is
 * @param lines by GPU model
 */
record CostResponse(
    @Nullable BigDecimal perHour,
    @Nullable BigDecimal byMaxRuntime,
    @Nullable String currency,
    boolean sunk,
    List<CostLine> lines) {
  /**
   * GPUs of one model.
   *
   * @param price id of the price, null when the price book has none
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

  /** Null for a quote without GPUs. */
  static @Nullable CostResponse of(Quote quote) {
    Money hour = quote.perHour();
    Money total = quote.byMaxRuntime();
    return quote.lines().isEmpty()
        ? null
        : new CostResponse(
            hour == null ? null : hour.amount(),
            total == null ? null : total.amount(),
            hour == null ? null : hour.currency(),
            quote.sunk(),
            quote.lines().stream().map(CostLine::of).toList());
  }
}
