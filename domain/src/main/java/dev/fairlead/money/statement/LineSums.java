package dev.fairlead.money.statement;

import dev.fairlead.money.price.PriceSpans;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sums the usage of a month into lines, one for each key and run of hours with one price, and emits
 * each line when the next one begins, so only one is in memory.
 */
public final class LineSums {
  private final PriceSpans spans;
  private final Consumer<StatementLine> each;
  private @Nullable Sum open;

  public LineSums(PriceSpans spans, Consumer<StatementLine> each) {
    this.spans = spans;
    this.each = each;
  }

  private record Sum(
      StatementKey key, StatementUse.Names names, PriceSpans.Run run, long milliMillis) {}

  /**
   * @param use behind the uses of the same key in earlier spans, as {@link StatementUse#each} has
   *     them
   */
  public void add(StatementUse use) {
    StatementKey key = use.key();
    PriceSpans.Run run = spans.run(key.cluster(), key.pool(), key.flavor(), use.span());
    Sum before = open;
    if (before != null && before.key.equals(use.key()) && before.run.equals(run)) {
      long more = Math.addExact(before.milliMillis, use.milliMillis());
      open = new Sum(before.key, before.names, run, more);
    } else {
      end();
      open = new Sum(use.key(), use.names(), run, use.milliMillis());
    }
  }

  /** Hands the last line on. */
  public void end() {
    Sum last = open;
    if (last != null) {
      each.accept(StatementLine.of(last.key, last.names, last.run, last.milliMillis));
      open = null;
    }
  }
}
