package dev.fairlead.work.progress.service;

import dev.fairlead.care.health.HealthStore;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobStore;
import dev.fairlead.work.job.JobWriter;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.progress.HangTransitions;
import dev.fairlead.work.progress.ProgressPlan;
import dev.fairlead.work.progress.ProgressPlan.Step;
import dev.fairlead.work.progress.ProgressStore;
import dev.fairlead.work.progress.WatchedAttempt;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Stops attempts that must report progress and do not. It reads only due attempts, each once in its
 * timeout. {@link ProgressPlan} makes the decisions.
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
      HealthStore health,
      JobStore jobs,
      JobWriter writer,
      Transactions transactions,
      IdSource ids,
      MeterRegistry metrics) {
    super("progress", "supervisor", IDLE, leases);
    this.progress = progress;
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
    Step step = job == null ? new Step.Over() : ProgressPlan.of(watched, attempt, since, now);
    switch (step) {
      case Step.Over over -> progress.remove(watched);
      case Step.Later later -> progress.look(watched.attempt(), later.from(), later.at());
      case Step.Hangs hang -> {
        if (job != null && attempt != null) {
          stop(job, attempt, watched, hang, now);
        }
      }
    }
  }

  /**
   * Stops the attempt. If it has called since it was read, the next pass judges it by that call.
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
