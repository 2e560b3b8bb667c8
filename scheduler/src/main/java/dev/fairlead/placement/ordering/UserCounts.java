package dev.fairlead.placement.ordering;

import dev.fairlead.explanation.Blocker;
import dev.fairlead.job.Job;
import dev.fairlead.job.Runtimes;
import dev.fairlead.placement.explain.UserLimitBlockers;
import dev.fairlead.quota.QueueSettings;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.UserLimits;
import java.time.Instant;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What each user has in one queue: what runs, what this cycle starts, and what a place is kept for.
 */
final class UserCounts {
  private final QuotaNode queue;
  private final Instant asOf;
  private final UserLimits limits;
  private final SortedMap<String, UserLimits.Use> uses = new TreeMap<>();
  private final SortedMap<String, Refused> refused = new TreeMap<>();

  /** Of one user last: very many of its jobs may be refused for the same. */
  private record Refused(UserLimits.Use has, UserLimits.Demand more, Blocker blocker) {}

  UserCounts(QuotaNode queue, Instant asOf) {
    this.queue = queue;
    this.asOf = asOf;
    QueueSettings settings = queue.queue();
    limits = settings == null ? UserLimits.NONE : settings.userLimits();
  }

  boolean limited() {
    return !limits.equals(UserLimits.NONE);
  }

  /** It starts. */
  void takes(Job job) {
    takes(job, null);
  }

  /**
   * @param since when its attempt started; null before that
   */
  void takes(Job job, @Nullable Instant since) {
    if (limited()) {
      uses.put(job.user(), of(job).and(Runtimes.demand(job, queue, since, asOf)));
    }
  }

  private UserLimits.Use of(Job job) {
    return uses.getOrDefault(job.user(), UserLimits.Use.NOTHING);
  }

  private UserLimits.Demand more(Job job) {
    return Runtimes.demand(job, queue, null, asOf);
  }

  /** Whether one more of the job is too much for its user. */
  boolean refuses(Job job) {
    return limited() && !limits.admit(of(job).and(more(job)));
  }

  /** What keeps one more of the job back, null for nothing. */
  @Nullable Blocker why(Job job) {
    return refuses(job)
        ? refused.compute(job.user(), (user, before) -> refusal(job, before)).blocker()
        : null;
  }

  private Refused refusal(Job job, @Nullable Refused before) {
    UserLimits.Demand more = more(job);
    UserLimits.Use has = of(job);
    return before != null && before.more().equals(more) && before.has().equals(has)
        ? before
        : new Refused(
            has, more, UserLimitBlockers.over(queue.name(), job.user(), limits, has, more));
  }
}
