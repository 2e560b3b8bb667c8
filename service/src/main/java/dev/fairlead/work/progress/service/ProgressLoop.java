package dev.fairlead.work.progress.service;

import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.efficiency.Efficiency;
import dev.fairlead.money.efficiency.EfficiencyStore;
import dev.fairlead.money.efficiency.IdleStep;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.IdleTransitions;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.progress.HangTransitions;
import dev.fairlead.work.progress.LastActivity;
import dev.fairlead.work.progress.ProgressPlan;
import dev.fairlead.work.progress.ProgressPlan.Step;
import dev.fairlead.work.progress.ProgressStore;
import dev.fairlead.work.progress.WatchedAttempt;
import dev.fairlead.work.spec.ProgressSpec;
import dev.fairlead.work.spec.WarmMember;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Stops attempts that must report progress and do not, and suspends jobs that report no activity.
 * The loop reads only due attempts, each once in its timeout. {@link ProgressPlan} makes the
 * decisions.
 */
@Component
public class ProgressLoop extends LeasedLoop {
  private static final Duration IDLE = Duration.ofSeconds(5);
  private static final int MOST = 100;

  /**
   * After a longer pause between two passes, calls during it are unknown. A larger step of the
   * database's clock proves nothing about the silence of an attempt. Far below the shortest
   * timeout.
   */
  private static final Duration GAP = Duration.ofSeconds(20);

  /** Delay of the next try after a failure. */
  private static final Duration AGAIN = Duration.ofMinutes(1);

  private final ProgressStore progress;
  private final EfficiencyStore efficiency;
  private final HealthStore health;
  private final JobStore jobs;
  private final JobWriter writer;
  private final Transactions transactions;
  private final IdSource ids;
  private final MeterRegistry metrics;
  private final MonotonicClock clock;
  private @Nullable Instant listening;
  private Instant last = Instant.MIN;
  private long lastRead;
  private long lastNanos;

  public ProgressLoop(
      Leases leases,
      ProgressStore progress,
      EfficiencyStore efficiency,
      HealthStore health,
      JobStore jobs,
      JobWriter writer,
      Transactions transactions,
      IdSource ids,
      MeterRegistry metrics) {
    super("progress", "supervisor", IDLE, leases);
    this.progress = progress;
    this.efficiency = efficiency;
    this.health = health;
    this.jobs = jobs;
    this.writer = writer;
    this.transactions = transactions;
    this.ids = ids;
    this.metrics = metrics;
    this.clock = leases.clock();
    metrics.counter(Metric.HANGS.meter());
  }

  @Override
  protected boolean turn(HeldLease lease) {
    Instant now = jobs.now();
    Instant since = listening;
    if (since == null || gap(now)) {
      since = now;
      listening = now;
    }
    last = now;
    lastRead = clock.nanos();
    List<WatchedAttempt> due = progress.due(now, MOST);
    for (WatchedAttempt watched : due) {
      judgeOrPostpone(lease, watched, since, now);
    }
    lastNanos = clock.nanos();
    return due.size() == MOST;
  }

  private boolean gap(Instant now) {
    Duration stepped = Duration.between(last, now).minusNanos(clock.nanos() - lastRead);
    return clock.nanos() - lastNanos > GAP.toNanos() || stepped.compareTo(GAP) > 0;
  }

  @Override
  protected void forget() {
    listening = null;
  }

  /**
   * Judges one attempt. After a failure it is judged again later, so that it cannot fill every page
   * of due attempts.
   */
  private void judgeOrPostpone(
      HeldLease lease, WatchedAttempt watched, Instant since, Instant now) {
    String what = "progress of attempt " + watched.attempt().text();
    if (!guarded(what, () -> transactions.runFenced(lease, () -> judge(watched, since, now)))) {
      guarded(
          what,
          () ->
              transactions.runFenced(
                  lease, () -> progress.look(watched.attempt(), watched.from(), now.plus(AGAIN))));
    }
  }

  private void judge(WatchedAttempt watched, Instant since, Instant now) {
    Job job = jobs.lock(List.of(watched.job())).stream().findFirst().orElse(null);
    Attempt attempt = jobs.attempts(List.of(watched.attempt())).stream().findFirst().orElse(null);
    Step step = job == null ? new Step.Over() : step(job, watched, attempt, since, now);
    switch (step) {
      case Step.Over over -> progress.remove(watched);
      case Step.Later later -> progress.look(watched.attempt(), later.from(), later.at());
      case Step.Hangs hang -> {
        if (job != null && attempt != null) {
          stop(job, attempt, watched, hang, now);
        }
      }
      case Step.Idle idle -> {
        if (job != null && attempt != null) {
          suspend(job, attempt, watched, idle, now);
        }
      }
    }
  }

  private Step step(
      Job job, WatchedAttempt watched, @Nullable Attempt attempt, Instant since, Instant now) {
    if (WarmMember.is(job.spec())) {
      return ProgressPlan.idle(watched, attempt, null, now);
    }
    ProgressSpec asked = job.spec().progress();
    Instant started = attempt == null ? null : attempt.startedAt();
    WatchedAttempt owned = started == null ? watched : watched.notBefore(started);
    return asked == null || asked.onTimeout() == ProgressSpec.OnTimeout.RETRY
        ? ProgressPlan.of(owned, attempt, since, now)
        : ProgressPlan.idle(
            owned, attempt, attempt == null ? null : activity(watched, attempt, now), now);
  }

  private @Nullable LastActivity activity(WatchedAttempt watched, Attempt attempt, Instant now) {
    List<AttemptId> id = List.of(attempt.id());
    boolean gpus = attempt.members().stream().mapToLong(Member::gpuMilli).sum() > 0;
    Efficiency sampled =
        gpus ? efficiency.of(watched.tenant(), id).stream().findFirst().orElse(null) : null;
    return LastActivity.of(
        progress.reports(watched.tenant(), id).get(attempt.id()), gpus, sampled, now);
  }

  /** Suspends the job, unless the attempt has called since it was read. */
  private void suspend(
      Job job, Attempt attempt, WatchedAttempt watched, Step.Idle idle, Instant now) {
    if (!progress.remove(watched)) {
      return;
    }
    String why =
        "suspended: no activity since %s, longer than %s. Resume it to continue"
            .formatted(
                idle.since().truncatedTo(ChronoUnit.SECONDS), DurationText.of(watched.timeout()));
    IdleTransitions.reclaimed(job, attempt, why, now)
        .ifPresent(chain -> {
          writer.write(chain);
          metrics
              .counter(Metric.IDLE_JOBS.meter(), Metric.IDLE_JOBS.tags(IdleStep.RECLAIM.name()))
              .increment();
        });
  }

  /**
   * Stops the attempt. If the attempt has called since it was read, the next pass judges it by that
   * call.
   */
  private void stop(
      Job job, Attempt attempt, WatchedAttempt watched, Step.Hangs hang, Instant now) {
    if (!progress.remove(watched)) {
      return;
    }
    JobElement element =
        job.array() == null ? null : jobs.element(job.id(), attempt.element()).orElse(null);
    Optional<Transition> stopped =
        HangTransitions.stopped(job, element, attempt, hang, watched.timeout(), now);
    stopped.ifPresent(transition -> {
      writer.write(List.of(transition));
      metrics.counter(Metric.HANGS.meter()).increment();
      if (hang.called()) {
        IncidentId id = new IncidentId(ids.next());
        health.write(HangTransitions.incident(id, attempt, watched.timeout(), hang.since(), now));
      }
    });
  }
}
