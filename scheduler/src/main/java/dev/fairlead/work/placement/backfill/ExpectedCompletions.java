package dev.fairlead.work.placement.backfill;

import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.estimate.Runtimes;
import dev.fairlead.work.placement.reservation.Reservations;
import dev.fairlead.work.placement.reservation.RunningAttempt;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The latest ends of running attempts, by their own or their queue's maximum runtime and their
 * deadline.
 */
public final class ExpectedCompletions {
  private static final Comparator<End> ORDER =
      Comparator.comparing(End::at, Comparator.nullsLast(Comparator.naturalOrder()))
          .thenComparing(end -> end.running().attempt().createdAt())
          .thenComparing(end -> end.running().attempt().id());

  private ExpectedCompletions() {}

  /**
   * The end of an attempt that does not terminate yet.
   *
   * @param at null = unknown, which counts as never
   */
  public record End(RunningAttempt running, @Nullable Instant at) {}

  /** Returns the known ends by time, then the unknown ones, oldest attempt first. */
  public static List<End> of(Reservations reservations, Instant asOf) {
    List<End> ends = new ArrayList<>();
    for (RunningAttempt running : reservations.attempts().all()) {
      if (!running.leaves()) {
        ends.add(new End(running, at(running, reservations.admission().tree(), asOf)));
      }
    }
    ends.sort(ORDER);
    return ends;
  }

  /** Returns the end of one attempt, not before now, null if unknown. */
  static @Nullable Instant at(RunningAttempt running, QuotaTree tree, Instant asOf) {
    Attempt attempt = running.attempt();
    Instant since = attempt.startedAt() == null ? attempt.createdAt() : attempt.startedAt();
    Instant end = Runtimes.end(running.job(), tree, since);
    return end != null && end.isBefore(asOf) ? asOf : end;
  }
}
