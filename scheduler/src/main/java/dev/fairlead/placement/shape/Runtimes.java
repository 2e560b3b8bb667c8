package dev.fairlead.placement.shape;

import dev.fairlead.job.Job;
import dev.fairlead.quota.QueueSettings;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.QuotaTree;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** When jobs end. */
public final class Runtimes {
  private Runtimes() {}

  /**
   * When a job that starts then has ended at the latest: by its longest runtime, or its queue's
   * where it gives none, and by its deadline. Null = unknown.
   */
  public static @Nullable Instant end(Job job, QuotaTree tree, Instant start) {
    Duration longest = longest(job, tree);
    Instant deadline = job.spec().deadline();
    Instant ran = longest == null ? null : start.plus(longest);
    return ran == null || deadline != null && deadline.isBefore(ran) ? deadline : ran;
  }

  private static @Nullable Duration longest(Job job, QuotaTree tree) {
    Duration own = job.spec().maxRuntime();
    return own != null
        ? own
        : tree.node(job.queue())
            .map(QuotaNode::queue)
            .map(QueueSettings::defaultMaxRuntime)
            .orElse(null);
  }
}
