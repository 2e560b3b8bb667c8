package dev.fairlead.work.placement.backfill;

import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.LearnedRuntimes;
import dev.fairlead.work.job.estimate.RunGroup;
import dev.fairlead.work.job.estimate.Runtimes;
import dev.fairlead.work.placement.reservation.RunningAttempt;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Ends by learned run times. A running attempt ends by its reported progress, and without it when
 * half of the similar runs have ended. A job that starts takes the mean run time of its group. None
 * exceeds its maximum runtime.
 */
final class LearnedEnds implements QueuePlay.Ends {
  private final LearnedRuntimes learned;
  private final QuotaTree tree;
  private final Instant asOf;
  private final Function<RunningAttempt, @Nullable Instant> reported;
  private final Map<RunGroup, Duration> whole = new LinkedHashMap<>();

  /**
   * @param reported end by reported progress, null if none
   */
  LearnedEnds(
      LearnedRuntimes learned,
      QuotaTree tree,
      Instant asOf,
      Function<RunningAttempt, @Nullable Instant> reported) {
    this.learned = learned;
    this.tree = tree;
    this.asOf = asOf;
    this.reported = reported;
  }

  @Override
  public Instant of(RunningAttempt running) {
    Instant end = reported.apply(running);
    if (end == null) {
      RunGroup group = RunGroup.of(running.job());
      end = asOf.plus(learned.remaining(group, running.ran(), asOf));
    }
    return earlier(end, ExpectedCompletions.at(running, tree, asOf));
  }

  @Override
  public Instant of(Job job, Instant start) {
    Duration takes = whole.computeIfAbsent(RunGroup.of(job), group -> learned.average(group, asOf));
    return earlier(start.plus(takes), Runtimes.end(job, tree, start));
  }

  private static Instant earlier(Instant end, @Nullable Instant longest) {
    return longest != null && longest.isBefore(end) ? longest : end;
  }
}
