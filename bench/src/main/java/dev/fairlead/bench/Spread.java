package dev.fairlead.bench;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** A figure of several runs: its median, and the least and the most that was seen. */
public record Spread(double median, double least, double most) {
  public static <R> Spread of(List<R> runs, ToDoubleFunction<R> figure) {
    double[] values = runs.stream().mapToDouble(figure).sorted().toArray();
    return new Spread(Medians.of(runs, figure), values[0], values[values.length - 1]);
  }

  /** {@code 84.1 (82.0-90.3)}; the value alone where all runs showed the same. */
  public String text(int digits) {
    String one = "%." + digits + "f";
    return least == most
        ? String.format(Locale.ROOT, one, median)
        : String.format(Locale.ROOT, one + " (" + one + "-" + one + ")", median, least, most);
  }
}
