package dev.fairlead.work.job;

import dev.fairlead.fleet.quota.PastUse;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.Member;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Contribution of an ended attempt to the history of its queue. */
public final class UseHistory {
  private UseHistory() {}

  /** Thousandths of GPUs that an attempt holds. A member without GPU counts as one. */
  public static long gpuMilli(Attempt attempt) {
    long milli = 0;
    for (Member member : attempt.members()) {
      milli += Math.max(1, member.request().amount(ResourceNames.GPU));
    }
    return milli;
  }

  /**
   * One entry for each node on the way from the queue to the root that has a half-life, none for an
   * attempt that never ran.
   *
   * @param attempt as it ended
   */
  public static List<PastUse> of(QuotaTree tree, Job job, Attempt attempt) {
    Instant from = attempt.startedAt();
    Instant to = attempt.endedAt();
    List<PastUse> left = new ArrayList<>();
    if (from == null || to == null) {
      return left;
    }
    for (QuotaNode node : tree.path(job.queue())) {
      Duration halfLife = node.usageHalfLife();
      if (halfLife != null) {
        long used = PastUse.milliSeconds(gpuMilli(attempt), from, to, halfLife);
        left.add(new PastUse(node.id(), job.queue(), job.user(), used, to));
      }
    }
    return left;
  }
}
