package dev.fairlead.work.job;

import static dev.fairlead.work.job.JobState.ADMITTED;
import static dev.fairlead.work.job.JobState.CANCELLED;
import static dev.fairlead.work.job.JobState.CANCELLING;
import static dev.fairlead.work.job.JobState.FAILED;
import static dev.fairlead.work.job.JobState.QUEUED;
import static dev.fairlead.work.job.JobState.RUNNING;
import static dev.fairlead.work.job.JobState.STARTING;
import static dev.fairlead.work.job.JobState.SUCCEEDED;
import static dev.fairlead.work.job.JobState.SUSPENDED;

import dev.fairlead.kernel.lifecycle.TransitionTable;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.job.JobEvent.Kind;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The job's machine, also an array element's. A terminal state has no row: terminal is final. A row
 * from an attempt's state may be missed (an attempt that is never seen starting), so each live
 * state takes every later event.
 */
public final class JobLifecycle {
  public static final TransitionTable<JobState, Kind> TABLE =
      TransitionTable.of(JobState.class, Kind.class)
          .on(Kind.ADMITTED, ADMITTED, QUEUED)
          .on(Kind.STARTING, STARTING, ADMITTED)
          .on(Kind.RUNNING, RUNNING, ADMITTED, STARTING)
          .on(Kind.REQUEUED, QUEUED, ADMITTED, STARTING, RUNNING)
          /* Also if its owner gave another order after all its members had succeeded. */
          .on(Kind.SUCCEEDED, SUCCEEDED, ADMITTED, STARTING, RUNNING, QUEUED, SUSPENDED, CANCELLING)
          .on(Kind.FAILED, FAILED, ADMITTED, STARTING, RUNNING)
          .on(Kind.EXPIRED, FAILED, QUEUED)
          .on(Kind.CANCEL_REQUESTED, CANCELLING, QUEUED, ADMITTED, STARTING, RUNNING, SUSPENDED)
          .on(Kind.CANCELLED, CANCELLED, QUEUED, SUSPENDED, CANCELLING)
          .on(Kind.SUSPENDED, SUSPENDED, QUEUED, ADMITTED, STARTING, RUNNING)
          .on(Kind.RESUMED, QUEUED, SUSPENDED)
          .on(Kind.REQUEUE_REQUESTED, QUEUED, QUEUED, ADMITTED, STARTING, RUNNING)
          .build();

  private JobLifecycle() {}

  /**
   * Result of an event: moved, or rejected as a value, because a user or a late observation may
   * cause it.
   */
  public sealed interface Step {
    /** The run after the event. */
    record Moved(JobStatus run) implements Step {}

    /** The state does not accept the event. */
    record Rejected(JobState from, Kind event) implements Step {}
  }

  public static Step apply(JobStatus run, JobEvent event, Instant now) {
    JobState next = TABLE.next(run.state(), event.kind()).orElse(null);
    return next == null
        ? new Step.Rejected(run.state(), event.kind())
        : new Step.Moved(moved(run, next, event, now));
  }

  private static JobStatus moved(JobStatus run, JobState next, JobEvent event, Instant now) {
    Instant started = run.startedAt() == null && next == RUNNING ? now : run.startedAt();
    Instant ended = TABLE.terminal(next) ? now : null;
    return switch (event) {
      case JobEvent.Admitted e ->
          run.to(next, now, started, ended, run.attempts() + 1, run.failures(), null, null);
      case JobEvent.Requeued e ->
          run.to(
                  next,
                  now,
                  started,
                  ended,
                  run.attempts(),
                  run.failures() + (e.counted() ? 1 : 0),
                  e.retryAt(),
                  e.failure())
              .faults(faults(run, e.failure(), now));
      case JobEvent.Failed e ->
          run.to(next, now, started, ended, run.attempts(), run.failures() + 1, null, e.failure())
              .faults(faults(run, e.failure(), now));
      case JobEvent.Expired e -> same(run, next, now, started, ended, e.failure());
      case JobEvent.Skipped e -> same(run, next, now, started, ended, e.failure());
      case JobEvent.Starting e -> same(run, next, now, started, ended, run.failure());
      case JobEvent.Running e -> same(run, next, now, started, ended, run.failure());
      case JobEvent.Succeeded e ->
          same(run, next, now, started == null ? now : started, ended, null);
      case JobEvent.CancelRequested e -> same(run, next, now, started, ended, run.failure());
      case JobEvent.Cancelled e -> same(run, next, now, started, ended, run.failure());
      case JobEvent.Suspended e -> same(run, next, now, started, ended, run.failure());
      case JobEvent.RequeueRequested e -> same(run, next, now, started, ended, run.failure());
      case JobEvent.Resumed e -> same(run, next, now, started, ended, run.failure());
    };
  }

  private static int faults(JobStatus run, Failure failure, Instant now) {
    return run.faultsBefore(now) + (failure.faulty() ? 1 : 0);
  }

  private static JobStatus same(
      JobStatus run,
      JobState next,
      Instant now,
      @Nullable Instant started,
      @Nullable Instant ended,
      @Nullable Failure failure) {
    return run.to(next, now, started, ended, run.attempts(), run.failures(), null, failure);
  }
}
