package dev.fairlead.placement.backfill;

import dev.fairlead.job.Attempt;
import dev.fairlead.job.Job;
import dev.fairlead.placement.reservation.Holder;
import dev.fairlead.placement.reservation.Holds;
import dev.fairlead.quota.QueueSettings;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.QuotaTree;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** When running attempts end at the latest: by their longest runtime, or that of their queue. */
public final class Ends {
  private static final Comparator<End> ORDER =
      Comparator.comparing(End::at, Comparator.nullsLast(Comparator.naturalOrder()))
          .thenComparing(end -> end.holder().attempt().createdAt())
          .thenComparing(end -> end.holder().attempt().id());

  private Ends() {}

  /**
   * An attempt that does not leave yet.
   *
   * @param at null = unknown, which counts as never
   */
  public record End(Holder holder, @Nullable Instant at) {}

  /** The known ones first, by time; the others oldest first. */
  public static List<End> of(Holds holds, Instant asOf) {
    List<End> ends = new ArrayList<>();
    for (Holder holder : holds.holders().all()) {
      if (!holder.leaves()) {
        ends.add(new End(holder, at(holder, holds.admission().tree(), asOf)));
      }
    }
    ends.sort(ORDER);
    return ends;
  }

  private static @Nullable Instant at(Holder holder, QuotaTree tree, Instant asOf) {
    Duration most = longest(holder.job(), tree);
    if (most == null) {
      return null;
    }
    Attempt attempt = holder.attempt();
    Instant since = attempt.startedAt() == null ? attempt.createdAt() : attempt.startedAt();
    Instant end = since.plus(most);
    return end.isBefore(asOf) ? asOf : end;
  }

  /** Longest runtime of a job, its queue's where it gives none; null = unknown. */
  public static @Nullable Duration longest(Job job, QuotaTree tree) {
    Duration own = job.spec().maxRuntime();
    return own != null
        ? own
        : tree.node(job.queue())
            .map(QuotaNode::queue)
            .map(QueueSettings::defaultMaxRuntime)
            .orElse(null);
  }
}
