package dev.fairlead.work.job.estimate;

import dev.fairlead.work.job.estimate.RunGroup.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Run times of jobs, learned from runs that ended on their own: the distribution of each group,
 * with newer runs counting more, drawn towards the next wider group if it has few runs (a
 * hierarchical Dirichlet prior). Once a run exceeds all recorded runs, it is as likely to last
 * twice as long as not. Only one thread may use it at a time.
 */
public final class LearnedRuntimes {
  /** Half-life of a run's weight. */
  public static final Duration HALF_LIFE = Duration.ofDays(14);

  /** Shortest run of the distribution that holds when nothing is known, in seconds. */
  private static final double SHORTEST = 60;

  private static final double MILLIS = 1000;

  private static final double HALF = 0.5;
  private static final double NINTHS = 0.9;
  private static final List<Level> LEVELS =
      List.of(Level.ALL, Level.SHAPE, Level.PROJECT, Level.IMAGE);

  private final GroupSketches groups = new GroupSketches(LEVELS, HALF_LIFE);

  /**
   * A run that ended by itself.
   *
   * @param took from its start to its end
   */
  public record Run(RunGroup group, Instant ended, Duration took) {}

  public void add(Run run) {
    groups.add(run.group(), run.took().toMillis() / MILLIS, run.ended());
  }

  /** Number of recorded runs, regardless of weight. */
  public int runs() {
    return groups.added();
  }

  /**
   * Likely duration of a new run of the group, null if no run is known.
   *
   * @param longest limit of the run time, null if none
   */
  public @Nullable ExpectedRun expected(RunGroup group, @Nullable Duration longest, Instant now) {
    return runs() == 0
        ? null
        : new ExpectedRun(
            shorter(left(group, Duration.ZERO, HALF, now), longest),
            shorter(left(group, Duration.ZERO, NINTHS, now), longest),
            runs(),
            level(group, now));
  }

  private static Duration shorter(Duration run, @Nullable Duration longest) {
    return longest == null || run.compareTo(longest) < 0 ? run : longest;
  }

  private Level level(RunGroup group, Instant now) {
    Level level = Level.ALL;
    for (Level each : LEVELS) {
      LogSketch sketch = groups.of(group, each);
      boolean enough = sketch != null && sketch.sum() * groups.worth(now) >= GroupSketches.PRIOR;
      level = enough ? each : level;
    }
    return level;
  }

  /**
   * Median of the remaining run time for jobs of the group after this time.
   *
   * @param ran how long it has run already
   */
  public Duration remaining(RunGroup group, Duration ran, Instant now) {
    return left(group, ran, HALF, now);
  }

  private Duration left(RunGroup group, Duration ran, double quantile, Instant now) {
    double[] shares = shares(group, now);
    double seconds = Math.max(1, ran.toMillis() / MILLIS);
    int first = LogSketch.bucket(seconds);
    double end = LogSketch.begin(first + 1);
    double begin = LogSketch.begin(first);
    shares[first] *= Math.log(Math.max(1, end / seconds)) / Math.log(end / begin);
    double all = 0;
    for (int i = first; i < shares.length; i++) {
      all += shares[i];
    }
    double rest = all * quantile;
    int bucket = first;
    while (bucket < shares.length - 1 && shares[bucket] < rest) {
      rest -= shares[bucket];
      bucket++;
    }
    double from = Math.max(LogSketch.begin(bucket), seconds);
    double to = Math.max(LogSketch.begin(bucket + 1), from);
    double part = shares[bucket] > 0 ? Math.min(1, rest / shares[bucket]) : 1;
    return Duration.ofMillis((long) ((from * Math.pow(to / from, part) - seconds) * MILLIS));
  }

  /**
   * Average run time of jobs in the group, which determines how fast their queue moves. The average
   * of a bounded distribution: no run counts for more than two years.
   */
  public Duration average(RunGroup group, Instant now) {
    double[] shares = shares(group, now);
    double sum = 0;
    double all = 0;
    for (int i = 0; i < shares.length; i++) {
      sum += shares[i] * Math.sqrt(LogSketch.begin(i) * LogSketch.begin(i + 1));
      all += shares[i];
    }
    return Duration.ofMillis((long) (sum / all * MILLIS));
  }

  private double[] shares(RunGroup group, Instant now) {
    double[] shares = LogSketch.unknown(SHORTEST);
    double worth = groups.worth(now);
    for (Level level : LEVELS) {
      LogSketch sketch = groups.of(group, level);
      if (sketch != null) {
        double all = sketch.sum() * worth + GroupSketches.PRIOR;
        for (int i = 0; i < shares.length; i++) {
          shares[i] = (sketch.weight(i) * worth + GroupSketches.PRIOR * shares[i]) / all;
        }
      }
    }
    return shares;
  }
}
