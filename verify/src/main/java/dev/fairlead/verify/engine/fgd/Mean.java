package dev.fairlead.verify.engine.fgd;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** Means over the seeds of one list and policy. */
record Mean(String list, Policy policy, List<Run.Figures> seeds) {
  Mean {
    seeds = List.copyOf(seeds);
  }

  double allocatedAt100() {
    return mean(Run.Figures::allocatedAt100);
  }

  double allocatedAt130() {
    return mean(Run.Figures::allocatedAt130);
  }

  /** Standard deviation of the seeds of a sample, 0 for one seed. */
  double deviationAt100() {
    double mean = allocatedAt100();
    double squares = seeds.stream().mapToDouble(s -> Math.pow(s.allocatedAt100() - mean, 2)).sum();
    return seeds.size() < 2 ? 0 : Math.sqrt(squares / (seeds.size() - 1));
  }

  /**
   * @param at position in {@link Run#FRAGMENTATION_AT}
   */
  double fragmented(int at) {
    return mean(s -> s.fragmented().get(at));
  }

  /** Mean without the first seed, which serves as warm-up, unless it is the only seed. */
  double decisionsPerSecond() {
    List<Run.Figures> warm = seeds.size() > 1 ? seeds.subList(1, seeds.size()) : seeds;
    double decisions = warm.stream().mapToDouble(Run.Figures::decisions).sum();
    return decisions / (warm.stream().mapToDouble(Run.Figures::nanos).sum() / 1e9);
  }

  private double mean(ToDoubleFunction<Run.Figures> figure) {
    return seeds.stream().mapToDouble(figure).average().orElseThrow();
  }
}
