package dev.fairlead.verify;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** A figure of several runs: its median, minimum and maximum. */
public record Spread(double median, double least, double most) {
  public static <R> Spread of(List<R> runs, ToDoubleFunction<R> figure) {
    double[] values = runs.stream().mapToDouble(figure).sorted().toArray();
    return new Spread(Medians.of(runs, figure), values[0], values[values.length - 1]);
  }

  /** Formats {@code 84.1 (82.0-90.3)}, or only the value if all runs had the same. */
  public String text(int digits) {
    String one = "%." + digits + "f";
    return least == most
        ? String.format(Locale.ROOT, one, median)
        : String.format(Locale.ROOT, one + " (" + one + "-" + one + ")", median, least, most);
  }
}
