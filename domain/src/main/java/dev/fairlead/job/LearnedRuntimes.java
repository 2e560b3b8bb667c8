package dev.fairlead.job;

import dev.fairlead.job.RunGroup.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * How long jobs run, learned from runs that ended by themselves: the distribution of each group,
 * with newer runs counting more, drawn towards the next wider group where it has few of its own (a
 * hierarchical Dirichlet prior). What lasts longer than anything that was seen is as likely to last
 * twice as long as not. One thread at a time.
 */
public final class LearnedRuntimes {
  /** After so long a run counts half. */
  public static final Duration HALF_LIFE = Duration.ofDays(14);

  /** Shortest run of the distribution that holds when nothing is known, in seconds. */
  private static final double SHORTEST = 60;

  private static final double MILLIS = 1000;

  private final GroupSketches groups =
      new GroupSketches(List.of(Level.ALL, Level.SHAPE, Level.PROJECT, Level.IMAGE), HALF_LIFE);

  /**
   * A run that ended by itself.
   *
   * @param took from its start to its end
   */
  public record Run(RunGroup group, Instant ended, Duration took) {}

  public void add(Run run) {
    groups.add(run.group(), run.took().toMillis() / MILLIS, run.ended());
  }

  /** Runs that it was told of, whatever they count by now. */
  public int runs() {
    return groups.added();
  }

  /**
   * What half of the jobs of the group that have run for so long run on at the most.
   *
   * @param ran how long it has run already
   */
  public Duration remaining(RunGroup group, Duration ran, Instant now) {
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
    double half = all / 2;
    int bucket = first;
    while (bucket < shares.length - 1 && shares[bucket] < half) {
      half -= shares[bucket];
      bucket++;
    }
    double from = Math.max(LogSketch.begin(bucket), seconds);
    double to = Math.max(LogSketch.begin(bucket + 1), from);
    double part = shares[bucket] > 0 ? Math.min(1, half / shares[bucket]) : 1;
    return Duration.ofMillis((long) ((from * Math.pow(to / from, part) - seconds) * MILLIS));
  }

  /**
   * How long jobs of the group run on average, which is by how much a queue of them moves on. At
   * the most the average of a bounded distribution: no run counts for more than two years.
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
    for (Level level : List.of(Level.ALL, Level.SHAPE, Level.PROJECT, Level.IMAGE)) {
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
