package dev.fairlead.statement;

import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Adds up the use of a month to its lines: one for each key and run of hours with one price. */
public final class StatementSums {
  /** Lines of one statement. */
  public static final int MOST = 50_000;

  private final PriceSpans spans;
  private final Map<LineKey, Sum> sums = new LinkedHashMap<>();

  public StatementSums(PriceSpans spans) {
    this.spans = spans;
  }

  private record LineKey(StatementKey key, PriceSpans.Run run) {}

  private record Sum(StatementUse.Names names, long milliMillis) {
    private Sum plus(Sum other) {
      return new Sum(names, Math.addExact(milliMillis, other.milliMillis));
    }
  }

  /**
   * @throws Refusal LIMIT_EXCEEDED for more than {@link #MOST} lines
   */
  public void add(StatementUse use) {
    sums.merge(
        new LineKey(use.key(), spans.run(use.key(), use.span())),
        new Sum(use.names(), use.milliMillis()),
        Sum::plus);
    if (sums.size() > MOST) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "The statement has more than %d lines. fairlead usage reports the month by fewer groups."
              .formatted(MOST));
    }
  }

  /** In the order in which their keys were first added. */
  public List<StatementLine> lines() {
    List<StatementLine> lines = new ArrayList<>();
    sums.forEach((line, sum) ->
        lines.add(StatementLine.of(line.key(), sum.names(), line.run(), sum.milliMillis())));
    return lines;
  }
}
