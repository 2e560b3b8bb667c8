package dev.fairlead.verify;

import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Medians of several runs. */
public final class Medians {
  private Medians() {}

  /** The median. For an even number of runs, the upper middle value. */
  public static <R> double of(List<R> runs, ToDoubleFunction<R> figure) {
    List<Double> sorted =
        runs.stream().map(figure::applyAsDouble).sorted(Comparator.naturalOrder()).toList();
    return sorted.get(sorted.size() / 2);
  }
}
