package dev.fairlead.work.placement.ordering;

import dev.fairlead.work.job.estimate.UseHistory;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.world.World;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of one queue by user. Orders by priority first. Among users with a first job of this
 * priority, the user with the least use in the queue comes first. Use is counted in thousandths of
 * GPUs (a member without GPU counts as one), plus the average past use if the queue weighs it. Ties
 * are broken by age and id.
 */
final class UserFairOrder {
  private final SortedMap<String, Long> allocated = new TreeMap<>();
  private final SortedMap<String, Deque<PendingJobEntry>> waiting = new TreeMap<>();

  /** Adds the average past use of a user, in thousandths of GPUs. */
  void used(String user, long milli) {
    allocated.merge(user, milli, Long::sum);
  }

  /** Adds an attempt that runs in the queue. */
  void runs(World.LiveAttempt live) {
    allocated.merge(live.job().user(), UseHistory.gpuMilli(live.attempt()), Long::sum);
  }

  /** Adds a waiting job, behind the others of its user. */
  void add(PendingJobEntry job) {
    String user = job.job().user();
    waiting.computeIfAbsent(user, u -> new ArrayDeque<>()).add(job);
    long each = milli(job.job().spec());
    job.whenPlaced(() -> allocated.merge(user, each, Long::sum));
  }

  private static long milli(JobSpec spec) {
    long milli = 0;
    for (RoleSpec role : spec.roles()) {
      String model = role.gpu().models().isEmpty() ? "" : role.gpu().models().getFirst();
      milli += role.count() * Math.max(1, role.gpu().milliOn(model, Long.MAX_VALUE));
    }
    return milli;
  }

  /**
   * Returns the next job, null if all were tried, and reports each job that waits for its
   * reservation.
   */
  @Nullable PendingJobEntry head(Runnable awaited) {
    PendingJobEntry best = null;
    for (Deque<PendingJobEntry> jobs : waiting.values()) {
      while (!jobs.isEmpty() && jobs.getFirst().done()) {
        if (jobs.removeFirst().awaits()) {
          awaited.run();
        }
      }
      PendingJobEntry first = jobs.peekFirst();
      if (first != null && (best == null || order().compare(first, best) < 0)) {
        best = first;
      }
    }
    return best;
  }

  private Comparator<PendingJobEntry> order() {
    return Comparator.comparingInt((PendingJobEntry w) -> -w.job().priority())
        .thenComparingLong(w -> allocated.getOrDefault(w.job().user(), 0L))
        .thenComparing(PendingJobEntry.ORDER);
  }
}
