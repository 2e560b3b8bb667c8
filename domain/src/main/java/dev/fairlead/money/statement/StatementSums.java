package dev.fairlead.money.statement;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.money.price.PriceSpans;
import java.util.ArrayList;
import java.util.List;

/** The lines of a month, including volumes and tokens, up to a limit. */
public final class StatementSums {
  /** Lines of one statement. */
  public static final int MOST = 50_000;

  private final List<StatementLine> lines = new ArrayList<>();
  private final List<VolumeLine> volumes = new ArrayList<>();
  private final List<TokenLine> tokens = new ArrayList<>();
  private final LineSums sums;

  public StatementSums(PriceSpans spans) {
    sums = new LineSums(spans, this::keep);
  }

  /**
   * @param use behind the uses of the same key in earlier spans
   * @throws Refusal LIMIT_EXCEEDED for more than {@link #MOST} lines
   */
  public void add(StatementUse use) {
    sums.add(use);
  }

  /**
   * @throws Refusal LIMIT_EXCEEDED for more than {@link #MOST} lines
   */
  public void add(VolumeLine line) {
    bound();
    volumes.add(line);
  }

  /**
   * @throws Refusal LIMIT_EXCEEDED for more than {@link #MOST} lines
   */
  public void add(TokenLine line) {
    bound();
    tokens.add(line);
  }

  private void keep(StatementLine line) {
    bound();
    lines.add(line);
  }

  private void bound() {
    if (lines.size() + volumes.size() + tokens.size() == MOST) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          ("The statement has more than %d lines. Use fairlead usage to report the month with"
                  + " fewer groups.")
              .formatted(MOST));
    }
  }

  /**
   * Lines in order of their first use.
   *
   * @throws Refusal LIMIT_EXCEEDED for more than {@link #MOST} lines
   */
  public List<StatementLine> lines() {
    sums.end();
    return lines;
  }

  /** Volumes in order of addition. */
  public List<VolumeLine> volumes() {
    return volumes;
  }

  /** Use of model services in order of addition. */
  public List<TokenLine> tokens() {
    return tokens;
  }
}
