package dev.fairlead.placement.ordering;

import dev.fairlead.explanation.Blocker;
import dev.fairlead.job.Job;
import dev.fairlead.placement.explain.Blockers;
import dev.fairlead.quota.QueueSettings;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.UserLimits;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What each user has in one queue: what runs, what this cycle starts, and what a place is kept for.
 */
final class UserCounts {
  private final QuotaNode queue;
  private final UserLimits limits;
  private final SortedMap<String, UserLimits.Use> uses = new TreeMap<>();
  private final SortedMap<String, Refused> refused = new TreeMap<>();

  /** Of one user last: very many of its jobs may be refused for the same. */
  private record Refused(UserLimits.Use has, long more, Blocker blocker) {}

  UserCounts(QuotaNode queue) {
    this.queue = queue;
    QueueSettings settings = queue.queue();
    limits = settings == null ? UserLimits.NONE : settings.userLimits();
  }

  boolean limited() {
    return !limits.equals(UserLimits.NONE);
  }

  void takes(Job job) {
    if (limited()) {
      uses.put(job.user(), of(job).and(job.spec().gpuMilli()));
    }
  }

  private UserLimits.Use of(Job job) {
    return uses.getOrDefault(job.user(), UserLimits.Use.NOTHING);
  }

  /** Whether one more of the job is too much for its user. */
  boolean refuses(Job job) {
    return limited() && !limits.admit(of(job).and(job.spec().gpuMilli()));
  }

  /** What keeps one more of the job back, null for nothing. */
  @Nullable Blocker why(Job job) {
    return refuses(job)
        ? refused.compute(job.user(), (user, before) -> refusal(job, before)).blocker()
        : null;
  }

  private Refused refusal(Job job, @Nullable Refused before) {
    long more = job.spec().gpuMilli();
    UserLimits.Use has = of(job);
    return before != null && before.more() == more && before.has().equals(has)
        ? before
        : new Refused(has, more, Blockers.userLimit(queue.name(), job.user(), limits, has, more));
  }
}
