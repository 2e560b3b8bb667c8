package dev.fairlead.verify.engine.timelapse;

import dev.fairlead.verify.Percentiles;
import dev.fairlead.verify.engine.timelapse.trace.Arrival;
import dev.fairlead.verify.engine.timelapse.trace.Sharing;
import dev.fairlead.verify.engine.timelapse.trace.Trace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * A replay and its figures.
 *
 * @param alone outcome of each job in its queue's private cluster
 * @param tick seconds between two plans
 * @param seconds duration of the replay
 */
public record Run(
    Trace trace,
    Sharing sharing,
    Timelapse.Result result,
    Map<Arrival, Outcome> alone,
    long tick,
    double seconds) {
  private static final double ROUNDING = 1e-9;

  /**
   * Figures of one queue, or of all.
   *
   * @param waits waits of jobs that ran, from submission to the end without the run
   * @param privateWaits private waits of the same jobs in the private cluster, if they ran there
   * @param fairness finish-time fairness of each job that ran in both: time from submission to the
   *     end, shared by private (Mahajan et al., Themis, NSDI 2020). Ascending
   */
  record Part(
      String queue,
      int jobs,
      int ran,
      Percentiles waits,
      double meanWait,
      Percentiles privateWaits,
      double privateMeanWait,
      int preemptions,
      List<Double> fairness) {
    double worst() {
      return fairness.isEmpty() ? 0 : fairness.getLast();
    }

    /** Share of jobs that ended later than in the private cluster, 0..1. */
    double aboveOne() {
      long above = fairness.stream().filter(f -> f > 1 + ROUNDING).count();
      return fairness.isEmpty() ? 0 : (double) above / fairness.size();
    }
  }

  Part all() {
    return part("all", result.outcomes());
  }

  List<Part> queues() {
    return trace.weights().keySet().stream()
        .map(q ->
            part(q, result.outcomes().stream().filter(o -> o.job().queue().equals(q)).toList()))
        .toList();
  }

  private Part part(String queue, List<Outcome> outcomes) {
    List<Outcome> ran = outcomes.stream().filter(Outcome::ran).toList();
    List<Outcome> there =
        outcomes.stream().map(o -> alone.get(o.job())).filter(Outcome::ran).toList();
    return new Part(
        queue,
        outcomes.size(),
        ran.size(),
        waits(ran),
        mean(ran),
        waits(there),
        mean(there),
        outcomes.stream().mapToInt(Outcome::preemptions).sum(),
        fairness(ran));
  }

  /** Finish-time fairness of a job, 0 when it did not run in both. */
  double fairness(Outcome here) {
    Outcome there = alone.get(here.job());
    if (there == null || !there.ran() || !here.ran()) {
      return 0;
    }
    return (double) Math.max(1, here.took()) / Math.max(1, there.took());
  }

  private List<Double> fairness(List<Outcome> ran) {
    List<Double> all = new ArrayList<>();
    for (Outcome each : ran) {
      double fairness = fairness(each);
      if (fairness > 0) {
        all.add(fairness);
      }
    }
    all.sort(null);
    return all;
  }

  private static Percentiles waits(List<Outcome> ran) {
    return new Percentiles(ran.stream().map(o -> Duration.ofSeconds(o.waited())).toList());
  }

  private static double mean(List<Outcome> ran) {
    return ran.stream().mapToLong(Outcome::waited).average().orElse(0);
  }

  /** Seconds from the first submission to the last end. */
  long makespan() {
    long first = trace.jobs().isEmpty() ? 0 : trace.jobs().getFirst().submitted();
    return result.outcomes().stream().mapToLong(Outcome::ended).max().orElse(first) - first;
  }

  /** GPU time of runs divided by GPU time of the cluster over the makespan, 0..1. */
  double utilisation() {
    return mean(Interval::used) / Math.max(1, trace.gpus());
  }

  /** Idle GPUs on partly used nodes, of all GPUs, over the makespan, 0..1. */
  double fragmentation() {
    return mean(Interval::fragmented) / Math.max(1, trace.gpus());
  }

  private double mean(ToDoubleFunction<Interval> of) {
    return result.moments().stream().mapToDouble(of).average().orElse(0);
  }
}
