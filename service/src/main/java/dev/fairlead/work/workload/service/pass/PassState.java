package dev.fairlead.work.workload.service.pass;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.workload.judgement.AttemptJudge;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import dev.fairlead.work.workload.service.attempt.AttemptMetrics;
import dev.fairlead.work.workload.service.attempt.AttemptRepository;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/** State that persists between the passes over the attempts of one cluster. */
public final class PassState {
  final ClusterId cluster;
  final AttemptRepository attempts;
  final AttemptMetrics metrics;
  final AttemptActions actions;
  final NodeLookups lookups;
  final MissingPods missing;
  final LossBreaker breaker = new LossBreaker();
  final Sweeper sweeper;
  final PoisonAttempts poison = new PoisonAttempts();
  final NotCleared notCleared = new NotCleared();

  /** Attempts with stored shared devices. */
  final Set<AttemptId> shared = new TreeSet<>();

  /** Attempts with pods that may be on other nodes than their resources. */
  final Set<AttemptId> unplaced = new TreeSet<>();

  final ClockSkewGuard time;
  final WorkloadTimeouts timeouts;
  final OutputStatus output;
  final Judge judge;

  /**
   * Rules by which a pass judges attempts.
   *
   * @param judge the function that judges one attempt
   */
  public record Rules(WorkloadTimeouts timeouts, Judge judge) {
    public static Rules with(WorkloadTimeouts timeouts) {
      return new Rules(timeouts, AttemptJudge::judge);
    }
  }

  /**
   * @param workers threads of the calls to the cluster. Their number bounds the parallel calls.
   */
  public PassState(
      ClusterId cluster,
      AttemptRepository attempts,
      AttemptMetrics metrics,
      ExecutorService workers,
      ClockSkewGuard time,
      Rules rules,
      OutputStatus output) {
    this.cluster = cluster;
    this.attempts = attempts;
    this.metrics = metrics;
    this.actions =
        new AttemptActions(attempts, workers, time::nanos, poison, rules.timeouts().checkpoint());
    this.lookups = new NodeLookups(workers);
    this.missing = new MissingPods(attempts);
    this.sweeper = new Sweeper(cluster, attempts);
    this.time = time;
    this.timeouts = rules.timeouts();
    this.output = output;
    this.judge = rules.judge();
  }

  public ClusterId cluster() {
    return cluster;
  }

  public AttemptRepository attempts() {
    return attempts;
  }

  public AttemptMetrics metrics() {
    return metrics;
  }

  public ClockSkewGuard time() {
    return time;
  }

  /** Begins a term of this process as supervisor of the cluster. */
  public void begin(ClusterId cluster) {
    notCleared.recall(attempts.heldUp(cluster));
    unplaced.addAll(attempts.unretired(cluster));
  }

  /** Called when another process took over the cluster. */
  public void forget() {
    notCleared.forget();
    unplaced.clear();
    shared.clear();
    poison.forget();
    breaker.forget();
  }

  /** Reason why the breaker blocks ends and starts of attempts, or null while it is closed. */
  public @Nullable String trouble() {
    return breaker.trouble();
  }

  /** Attempts that are missing while the breaker is open, else 0. */
  public int missing() {
    return breaker.count();
  }

  /** Returns whether the cleanup of the ended attempt is known to fail. */
  public boolean stuck(AttemptId id, Instant now) {
    return notCleared.stuck(id, now);
  }

  /** The cluster has no more objects of the attempt. */
  void forget(AttemptId gone) {
    actions.forget(gone);
    time.forget(gone);
    missing.forget(gone);
    breaker.ended(gone);
    notCleared.forget(gone);
    shared.remove(gone);
    unplaced.remove(gone);
  }
}
