package dev.fairlead.work.placement.ordering;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.RunLimits;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.Runtimes;
import dev.fairlead.work.job.submit.LimitScope;
import dev.fairlead.work.placement.blockers.RunLimitBlockers;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Use of a queue by user, by project, or in total: running attempts, elements that this cycle
 * starts, and reservations.
 */
final class RunCounts {
  private final QuotaNode queue;
  private final Instant asOf;
  private final LimitScope scope;
  private final RunLimits limits;
  private final SortedMap<String, RunLimits.Use> uses = new TreeMap<>();
  private final SortedMap<String, Refused> refused = new TreeMap<>();

  /**
   * The last refusal for one subject, because many of its jobs may be refused for the same reason.
   */
  private record Refused(RunLimits.Use has, RunLimits.Demand more, Blocker blocker) {}

  private RunCounts(QuotaNode queue, QueueSettings settings, LimitScope scope, Instant asOf) {
    this.queue = queue;
    this.asOf = asOf;
    this.scope = scope;
    limits = scope.limits(settings);
  }

  /** Returns one count for each kind of limit that the queue has. */
  static List<RunCounts> of(QuotaNode queue, Instant asOf) {
    QueueSettings settings = queue.queue();
    return settings == null
        ? List.of()
        : LimitScope.limited(settings).stream()
            .map(scope -> new RunCounts(queue, settings, scope, asOf))
            .toList();
  }

  /** Counts a job that starts. */
  void takes(Job job) {
    takes(job, null);
  }

  /**
   * @param since when its attempt started, null before that
   */
  void takes(Job job, @Nullable Instant since) {
    uses.put(scope.subject(job), of(job).and(Runtimes.demand(job, queue, since, asOf)));
  }

  private RunLimits.Use of(Job job) {
    return uses.getOrDefault(scope.subject(job), RunLimits.Use.NOTHING);
  }

  private RunLimits.Demand more(Job job) {
    return Runtimes.demand(job, queue, null, asOf);
  }

  /** Returns whether one more element of the job would exceed a limit. */
  boolean refuses(Job job) {
    return !limits.admit(of(job).and(more(job)));
  }

  /** Returns the limit that holds one more element of the job back, null if none. */
  @Nullable Blocker why(Job job) {
    return refuses(job)
        ? refused.compute(scope.subject(job), (subject, before) -> refusal(job, before)).blocker()
        : null;
  }

  private Refused refusal(Job job, @Nullable Refused before) {
    RunLimits.Demand more = more(job);
    RunLimits.Use has = of(job);
    return before != null && before.more().equals(more) && before.has().equals(has)
        ? before
        : new Refused(
            has,
            more,
            new RunLimitBlockers(queue.name(), scope, job.user()).over(limits, has, more));
  }
}
