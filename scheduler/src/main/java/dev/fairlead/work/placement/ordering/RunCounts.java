package dev.fairlead.work.placement.ordering;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.RunLimits;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.LimitScope;
import dev.fairlead.work.job.Runtimes;
import dev.fairlead.work.placement.explain.RunLimitBlockers;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What each user or project has in one queue, or all of it has: what runs, what this cycle starts,
 * and what a place is kept for.
 */
final class RunCounts {
  private final QuotaNode queue;
  private final Instant asOf;
  private final LimitScope scope;
  private final RunLimits limits;
  private final SortedMap<String, RunLimits.Use> uses = new TreeMap<>();
  private final SortedMap<String, Refused> refused = new TreeMap<>();

  /** Of one subject last: very many of its jobs may be refused for the same. */
  private record Refused(RunLimits.Use has, RunLimits.Demand more, Blocker blocker) {}

  private RunCounts(QuotaNode queue, QueueSettings settings, LimitScope scope, Instant asOf) {
    this.queue = queue;
    this.asOf = asOf;
    this.scope = scope;
    limits = scope.limits(settings);
  }

  /** One for each kind of limit that the queue has. */
  static List<RunCounts> of(QuotaNode queue, Instant asOf) {
    QueueSettings settings = queue.queue();
    return settings == null
        ? List.of()
        : LimitScope.limited(settings).stream()
            .map(scope -> new RunCounts(queue, settings, scope, asOf))
            .toList();
  }

  /** It starts. */
  void takes(Job job) {
    takes(job, null);
  }

  /**
   * @param since when its attempt started; null before that
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

  /** Whether one more of the job is too much. */
  boolean refuses(Job job) {
    return !limits.admit(of(job).and(more(job)));
  }

  /** What keeps one more of the job back, null for nothing. */
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
