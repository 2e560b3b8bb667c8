package dev.fairlead.work.job.estimate;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.RunGroup.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The ratio of actual to predicted waits of jobs, and so their expected starts. A job is recorded
 * once with its predicted start. The ratio of its wait to the predicted wait is learned when it
 * starts, by project and shape, and drawn towards the wider groups if there are few. Jobs that
 * still wait count as having waited longer than they have (Kaplan and Meier 1958), or a jam would
 * be learned only when it is over. Only one thread may use it at a time.
 */
public final class LearnedWaits {
  /** A job is recorded after this wait. Shorter waits need no estimate. */
  public static final Duration WAITED = Duration.ofMinutes(1);

  /** Minimum number of starts for an estimate. */
  public static final int FEWEST = 20;

  /**
   * Minimum weight of these starts, where a new start has weight 1. With a higher minimum, an
   * estimate after a long pause would use only the few new starts.
   */
  private static final double LEAST_WEIGHT = FEWEST / 2.0;

  /** Maximum number of recorded waiting jobs, in equal shares of projects. */
  public static final int MOST = 5_000;

  /**
   * Cap of an estimate: waits may last a hundred thousand times the estimate, and neither the
   * database nor clients can represent the resulting years.
   */
  static final Duration LONGEST = Duration.ofDays(3_660);

  /** Lower bound of an estimated wait. */
  private static final Duration SHORTEST = Duration.ofMinutes(1);

  private static final List<Level> LEVELS = List.of(Level.ALL, Level.SHAPE, Level.PROJECT);

  /** Ratios are counted in hundredths. */
  private static final double HUNDREDTHS = 100;

  private final GroupSketches started = new GroupSketches(LEVELS, LearnedRuntimes.HALF_LIFE);
  private final SequencedMap<JobId, Noted> noted = new LinkedHashMap<>();
  private final Map<ProjectId, Integer> notedOf = new LinkedHashMap<>();

  private record Noted(RunGroup group, Instant at, Duration foreseen) {
    double ratio(Instant then) {
      return HUNDREDTHS * Duration.between(at, then).toMillis() / foreseen.toMillis();
    }

    Instant at(double ratio) {
      double millis = ratio / HUNDREDTHS * foreseen.toMillis();
      return at.plusMillis(Math.min((long) millis, LONGEST.toMillis()));
    }
  }

  /** Returns whether the job already has a predicted start. */
  public boolean knows(JobId job) {
    return noted.containsKey(job);
  }

  /** Records the estimate for a waiting job. The first one is final. */
  public void foreseen(Job job, Instant now, Instant start) {
    if (!noted.containsKey(job.id()) && (noted.size() < MOST || makeRoomFor(job.project()))) {
      noted.put(job.id(), noted(job, now, start));
      notedOf.merge(job.project(), 1, Integer::sum);
    }
  }

  /** Forgets the newest job of the project with the most. False if this has no effect. */
  private boolean makeRoomFor(ProjectId project) {
    ProjectId largest = Collections.max(notedOf.entrySet(), Map.Entry.comparingByValue()).getKey();
    if (notedOf.getOrDefault(largest, 0) <= notedOf.getOrDefault(project, 0) + 1) {
      return false;
    }
    noted.reversed().entrySet().stream()
        .filter(each -> each.getValue().group().project().equals(largest))
        .map(Map.Entry::getKey)
        .findFirst()
        .ifPresent(this::remove);
    return true;
  }

  private void remove(JobId job) {
    Noted was = noted.remove(job);
    if (was != null) {
      notedOf.merge(was.group().project(), -1, Integer::sum);
      notedOf.values().removeIf(jobs -> jobs == 0);
    }
  }

  private static Noted noted(Job job, Instant now, Instant start) {
    Duration wait = Duration.between(now, start);
    return new Noted(RunGroup.of(job), now, wait.compareTo(SHORTEST) < 0 ? SHORTEST : wait);
  }

  /**
   * Records the start of a job or element. A start before its estimate was recorded changes
   * nothing.
   */
  public void started(JobId job, Instant at) {
    Noted was = noted.get(job);
    if (was != null && !at.isBefore(was.at())) {
      remove(job);
      started.add(was.group(), Math.max(1, was.ratio(at)), at);
    }
  }

  /** Forgets jobs that no longer wait and have not started. */
  public void keep(Predicate<JobId> waits) {
    waiting().stream().filter(waits.negate()).forEach(this::remove);
  }

  public List<JobId> waiting() {
    return List.copyOf(noted.keySet());
  }

  /**
   * Likely starts of the recorded jobs, given that they still wait. The result is empty while too
   * few starts are known.
   *
   * @param runs runs behind the predicted starts
   */
  public Map<JobId, ExpectedStart> expected(Instant now, int runs) {
    Map<JobId, ExpectedStart> expected = new LinkedHashMap<>();
    if (!known(now)) {
      return expected;
    }
    GroupSketches waiting = waiting(now);
    Map<List<String>, double[]> known = new LinkedHashMap<>();
    noted.forEach((job, each) -> {
      double[] longer =
          known.computeIfAbsent(
              each.group().key(Level.PROJECT), key -> survival(each.group(), waiting, now));
      expected.put(job, expected(each, longer, now, runs));
    });
    return expected;
  }

  private ExpectedStart expected(Noted each, double[] longer, Instant now, int runs) {
    double ratio = Math.max(1, each.ratio(now));
    return new ExpectedStart(
        each.at(after(longer, ratio, 0.5)),
        each.at(after(longer, ratio, 0.1)),
        runs,
        started.added(),
        level(each.group(), now),
        now);
  }

  private boolean known(Instant now) {
    return started.added() >= FEWEST && started.recent(now) >= LEAST_WEIGHT;
  }

  private GroupSketches waiting(Instant now) {
    GroupSketches waiting = new GroupSketches(LEVELS, LearnedRuntimes.HALF_LIFE);
    noted.values().forEach(each -> waiting.add(each.group(), Math.max(1, each.ratio(now)), now));
    return waiting;
  }

  /**
   * Likely start of a job submitted now, null while too few starts are known.
   *
   * @param start the uncorrected estimate
   * @param runs runs behind the predicted start
   */
  public @Nullable ExpectedStart expected(Job job, Instant now, Instant start, int runs) {
    Noted noted = noted(job, now, start);
    return known(now)
        ? expected(noted, survival(noted.group(), waiting(now), now), now, runs)
        : null;
  }

  /** The narrowest group with as many known starts as count for all of the wider one. */
  private Level level(RunGroup group, Instant now) {
    Level level = Level.ALL;
    double worth = started.worth(now);
    for (Level each : LEVELS) {
      LogSketch sketch = started.of(group, each);
      level = sketch != null && sketch.sum() * worth >= GroupSketches.PRIOR ? each : level;
    }
    return level;
  }

  /** The part of the jobs that wait longer, at the start of each bucket and the end of the last. */
  private double[] survival(RunGroup group, GroupSketches waiting, Instant now) {
    double[] starts = LogSketch.unknown(HUNDREDTHS / 2); // half of the waits exceed the prediction
    double[] waits = new double[LogSketch.BUCKETS];
    double worth = started.worth(now);
    for (Level level : LEVELS) {
      LogSketch ended = started.of(group, level);
      LogSketch open = waiting.of(group, level);
      double all =
          GroupSketches.PRIOR
              + (ended == null ? 0 : ended.sum() * worth)
              + (open == null ? 0 : open.sum());
      for (int i = 0; i < starts.length; i++) {
        double over = ended == null ? 0 : ended.weight(i) * worth;
        double still = open == null ? 0 : open.weight(i);
        starts[i] = (over + GroupSketches.PRIOR * starts[i]) / all;
        waits[i] = (still + GroupSketches.PRIOR * waits[i]) / all;
      }
    }
    return survival(starts, waits);
  }

  private static double[] survival(double[] starts, double[] waits) {
    double[] longer = new double[starts.length + 1];
    double atRisk = 0;
    for (int i = 0; i < starts.length; i++) {
      atRisk += starts[i] + waits[i];
    }
    longer[0] = 1;
    for (int i = 0; i < starts.length; i++) {
      longer[i + 1] = longer[i] * (atRisk > 0 ? Math.max(0, 1 - starts[i] / atRisk) : 0);
      atRisk -= starts[i] + waits[i];
    }
    return longer;
  }

  /**
   * Conditional quantile: the ratio exceeded by a given part of the jobs that exceed another ratio.
   */
  private static double after(double[] longer, double ratio, double part) {
    double wanted = part * at(longer, ratio);
    int bucket = LogSketch.bucket(ratio);
    while (bucket < LogSketch.BUCKETS - 1 && longer[bucket + 1] > wanted) {
      bucket++;
    }
    double begin = LogSketch.begin(bucket);
    double end = LogSketch.begin(bucket + 1);
    double drop = longer[bucket] - longer[bucket + 1];
    double in = drop > 0 ? Math.clamp((longer[bucket] - wanted) / drop, 0, 1) : 1;
    return Math.max(ratio, begin * Math.pow(end / begin, in));
  }

  private static double at(double[] longer, double ratio) {
    int bucket = LogSketch.bucket(ratio);
    double begin = LogSketch.begin(bucket);
    double in = Math.log(ratio / begin) / Math.log(LogSketch.begin(bucket + 1) / begin);
    return longer[bucket] + Math.clamp(in, 0, 1) * (longer[bucket + 1] - longer[bucket]);
  }
}
