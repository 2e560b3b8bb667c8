package dev.fairlead.work.workload.service.pass;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.workload.AttemptJudge;
import dev.fairlead.work.workload.WorkloadTimeouts;
import dev.fairlead.work.workload.service.attempt.AttemptMetrics;
import dev.fairlead.work.workload.service.attempt.AttemptRepository;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/** What the passes over the attempts of one cluster share, and what lasts from one to the next. */
public final class PassState {
  final ClusterId cluster;
  final AttemptRepository attempts;
  final AttemptMetrics metrics;
  final AttemptActions actions;
  final NodeLookups lookups;
  final MissingPods missing;
  final LossBreaker breaker = new LossBreaker();
  final Sweeper sweeper;
  final PoisonAttempts aside = new PoisonAttempts();
  final NotCleared notCleared = new NotCleared();
  final ClockSkewGuard time;
  final WorkloadTimeouts timeouts;
  final OutputStatus output;
  final Judge judge;

  /**
   * @param workers run what is done and asked on the cluster; their number bounds the calls under
   *     way
   */
  public PassState(
      ClusterId cluster,
      AttemptRepository attempts,
      AttemptMetrics metrics,
      ExecutorService workers,
      ClockSkewGuard time,
      WorkloadTimeouts timeouts,
      OutputStatus output) {
    this(cluster, attempts, metrics, workers, time, timeouts, output, AttemptJudge::judge);
  }

  PassState(
      ClusterId cluster,
      AttemptRepository attempts,
      AttemptMetrics metrics,
      ExecutorService workers,
      ClockSkewGuard time,
      WorkloadTimeouts timeouts,
      OutputStatus output,
      Judge judge) {
    this.cluster = cluster;
    this.attempts = attempts;
    this.metrics = metrics;
    this.actions = new AttemptActions(attempts, workers, time::nanos, aside, timeouts.checkpoint());
    this.lookups = new NodeLookups(workers);
    this.missing = new MissingPods(attempts);
    this.sweeper = new Sweeper(cluster, attempts);
    this.time = time;
    this.timeouts = timeouts;
    this.output = output;
    this.judge = judge;
  }

  /** The cluster is looked after here from now on. */
  public void begin(ClusterId cluster) {
    notCleared.recall(attempts.heldUp(cluster));
  }

  /** The cluster is looked after elsewhere. */
  public void forget() {
    notCleared.forget();
    aside.forget();
    breaker.forget();
  }

  /** Why missing pods end nothing and nothing may be started; null while the breaker is closed. */
  public @Nullable String trouble() {
    return breaker.trouble();
  }

  /** Attempts that are missing while the breaker is open, else 0. */
  public int missing() {
    return breaker.count();
  }

  /** Whether it is known that the ended attempt cannot be cleared away. */
  public boolean stuck(AttemptId id, Instant now) {
    return notCleared.stuck(id, now);
  }

  /** Nothing of the attempt is left. */
  void forget(AttemptId gone) {
    actions.forget(gone);
    time.forget(gone);
    missing.forget(gone);
    breaker.ended(gone);
    notCleared.forget(gone);
  }
}
