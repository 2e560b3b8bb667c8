package dev.fairlead.bench;

import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Figures of several runs. */
public final class Medians {
  private Medians() {}

  /** The upper one of the two in the middle when there are as many as that. */
  public static <R> double of(List<R> runs, ToDoubleFunction<R> figure) {
    List<Double> sorted =
        runs.stream().map(figure::applyAsDouble).sorted(Comparator.naturalOrder()).toList();
    return sorted.get(sorted.size() / 2);
  }
}
