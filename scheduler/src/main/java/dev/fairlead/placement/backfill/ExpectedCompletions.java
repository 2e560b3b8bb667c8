package dev.fairlead.placement.backfill;

import dev.fairlead.job.Attempt;
import dev.fairlead.placement.reservation.Reservations;
import dev.fairlead.placement.reservation.RunningAttempt;
import dev.fairlead.placement.shape.Runtimes;
import dev.fairlead.quota.QuotaTree;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When running attempts end at the latest: by their longest runtime, or that of their queue, and
 * their deadline.
 */
public final class ExpectedCompletions {
  private static final Comparator<End> ORDER =
      Comparator.comparing(End::at, Comparator.nullsLast(Comparator.naturalOrder()))
          .thenComparing(end -> end.holder().attempt().createdAt())
          .thenComparing(end -> end.holder().attempt().id());

  private ExpectedCompletions() {}

  /**
   * An attempt that does not leave yet.
   *
   * @param at null = unknown, which counts as never
   */
  public record End(RunningAttempt holder, @Nullable Instant at) {}

  /** The known ones first, by time; the others oldest first. */
  public static List<End> of(Reservations holds, Instant asOf) {
    List<End> ends = new ArrayList<>();
    for (RunningAttempt holder : holds.holders().all()) {
      if (!holder.leaves()) {
        ends.add(new End(holder, at(holder, holds.admission().tree(), asOf)));
      }
    }
    ends.sort(ORDER);
    return ends;
  }

  private static @Nullable Instant at(RunningAttempt holder, QuotaTree tree, Instant asOf) {
    Attempt attempt = holder.attempt();
    Instant since = attempt.startedAt() == null ? attempt.createdAt() : attempt.startedAt();
    Instant end = Runtimes.end(holder.job(), tree, since);
    return end != null && end.isBefore(asOf) ? asOf : end;
  }
}
