package dev.fairlead.verify.engine.timelapse;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.verify.engine.timelapse.trace.Arrival;
import dev.fairlead.verify.engine.timelapse.trace.Hardware;
import dev.fairlead.verify.engine.timelapse.trace.Sharing;
import dev.fairlead.verify.engine.timelapse.trace.Trace;
import dev.fairlead.verify.engine.timelapse.trace.Tree;
import dev.fairlead.work.job.estimate.ExpectedStart;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;

/**
 * Accuracy of the expected starts of a replay. Run times are learned from the first half of its
 * jobs, and the correction of estimates from all earlier starts. Each job of the second half is
 * judged by its first estimate.
 *
 * @param runs number of learned runs
 * @param waited jobs of the second half that waited for more than a minute
 * @param told waiting jobs with a p90
 * @param half jobs of {@code told} that had started by their p50
 * @param ninth jobs of {@code told} that had started by their p90
 */
record Coverage(String trace, String sharing, int runs, int waited, int told, int half, int ninth) {
  /** Per cent of the jobs that must have started by their p90. */
  static final int LEAST = 85;

  static final int MOST = 95;

  /** Shortest interval between two estimates in seconds. */
  private static final long EVERY = 300;

  static Coverage of(Trace trace, Sharing sharing, long tick) {
    List<Arrival> jobs = trace.jobs();
    long split = jobs.get(jobs.size() / 2).submitted();
    LearnedStarts learned = new LearnedStarts(split, EVERY);
    SortedMap<String, List<Node>> hands = NodeShares.of(trace.nodes(), trace.weights());
    Tree tree = Tree.of(hands, sharing);
    VirtualCluster cluster =
        new VirtualCluster(Hardware.cluster(trace.name()), trace.nodes(), tree);
    Timelapse.Result result = new Timelapse(jobs, tree, cluster, tick, learned).run();
    int waited = 0;
    int told = 0;
    int half = 0;
    int ninth = 0;
    for (Outcome outcome : result.outcomes()) {
      Arrival job = outcome.job();
      if (job.submitted() < split || !outcome.ran()) {
        continue;
      }
      ExpectedStart expected = learned.told().get(job);
      Instant started = Rows.at(learned.first(job));
      waited += learned.first(job) - job.submitted() > LearnedStarts.WAITED ? 1 : 0;
      /* An evicted job may have got its estimate before its second start. */
      if (expected != null && !expected.computedAt().isAfter(started)) {
        told++;
        half += started.isAfter(expected.p50()) ? 0 : 1;
        ninth += started.isAfter(expected.p90()) ? 0 : 1;
      }
    }
    return new Coverage(trace.name(), sharing.text(), learned.runs(), waited, told, half, ninth);
  }

  /** Sums two replays. */
  Coverage plus(Coverage other) {
    return new Coverage(
        trace,
        sharing,
        runs + other.runs,
        waited + other.waited,
        told + other.told,
        half + other.half,
        ninth + other.ninth);
  }

  /** Per cent of the jobs with an estimate. */
  double byP50() {
    return 100.0 * half / Math.max(1, told);
  }

  double byP90() {
    return 100.0 * ninth / Math.max(1, told);
  }

  boolean holds() {
    return told > 0 && byP90() >= LEAST && byP90() <= MOST;
  }

  /** One line of text. */
  String text() {
    return String.format(
        Locale.ROOT,
        "%-9s %-8s learned from %d runs, %d jobs waited > 60 s, %d of them had an estimate: %.1f %%"
            + " started by their p50, %.1f %% by their p90 (%d to %d %% wanted: %s)",
        trace,
        sharing,
        runs,
        waited,
        told,
        byP50(),
        byP90(),
        LEAST,
        MOST,
        holds() ? "holds" : "MISSED");
  }
}
