package dev.fairlead.front;

import static dev.fairlead.front.FrontCondition.COMPLETE;
import static dev.fairlead.front.FrontCondition.FAILED;
import static dev.fairlead.front.FrontCondition.FAILURE_TARGET;
import static dev.fairlead.front.FrontCondition.SUBMITTED;
import static dev.fairlead.front.FrontCondition.SUCCESS_CRITERIA_MET;
import static dev.fairlead.front.FrontCondition.SUSPENDED;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.ArrayProgress;
import dev.fairlead.work.job.Job;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The status of a Job, with conditions in the order that an API server accepts. */
public final class FrontStatuses {
  private static final int LONGEST = 1000;

  private FrontStatuses() {}

  /** Applies to a Job of the job that has already shown the other version. */
  public static FrontStatus of(FrontStatus seen, Job job, Instant now) {
    Instant second = now.truncatedTo(ChronoUnit.SECONDS);
    FrontStatus status =
        counted(seen, job)
            .with(
                FrontCondition.of(
                    SUBMITTED, true, "Submitted", "Runs as job " + job.id().text(), second));
    Instant started = job.run().startedAt();
    if (started != null) {
      status = status.begun(started.truncatedTo(ChronoUnit.SECONDS));
    }
    return switch (job.state()) {
      case SUSPENDED ->
          status.with(
              FrontCondition.of(
                  SUSPENDED, true, "JobSuspended", "Fairlead holds the job back", second));
      case QUEUED, ADMITTED, STARTING, RUNNING, CANCELLING -> resumed(status, second);
      case SUCCEEDED -> succeeded(resumed(status, second), ended(job, second), second);
      case FAILED -> failed(resumed(status, second), reason(job), message(job), second);
      case CANCELLED -> cancelled(resumed(status, second), job, second);
    };
  }

  private static FrontStatus cancelled(FrontStatus status, Job job, Instant now) {
    ArrayProgress array = job.array();
    return array != null && array.failed() > 0
        ? failed(
            status,
            "BackoffLimitExceeded",
            "%d of %d completions have failed".formatted(array.failed(), array.elements()),
            now)
        : failed(status, "Cancelled", "Job " + job.id().text() + " was cancelled in Fairlead", now);
  }

  private static FrontStatus counted(FrontStatus seen, Job job) {
    ArrayProgress array = job.array();
    if (array != null) {
      return seen.counting(array.live(), array.running(), array.succeeded(), array.failed());
    }
    int members = job.spec().members();
    int failures = job.run().failures();
    return switch (job.state()) {
      case QUEUED, SUSPENDED -> seen.counting(0, 0, 0, failures);
      case ADMITTED, STARTING, CANCELLING -> seen.counting(members, 0, 0, failures);
      case RUNNING -> seen.counting(members, members, 0, failures);
      case SUCCEEDED -> seen.counting(0, 0, members, failures);
      case FAILED -> seen.counting(0, 0, 0, Math.max(1, failures));
      case CANCELLED -> seen.counting(0, 0, 0, failures);
    };
  }

  private static FrontStatus resumed(FrontStatus status, Instant now) {
    return status.is(SUSPENDED)
        ? status.with(
            FrontCondition.of(SUSPENDED, false, "JobResumed", "Fairlead runs the job", now))
        : status;
  }

  private static Instant ended(Job job, Instant now) {
    Instant ended = job.run().endedAt();
    return ended == null ? now : ended.truncatedTo(ChronoUnit.SECONDS);
  }

  private static FrontStatus succeeded(FrontStatus status, Instant ended, Instant now) {
    String reason = "CompletionsReached";
    String message = "Every completion has succeeded";
    return status
        .begun(ended)
        .completed(ended)
        .with(FrontCondition.of(SUCCESS_CRITERIA_MET, true, reason, message, now))
        .with(FrontCondition.of(COMPLETE, true, reason, message, now));
  }

  private static FrontStatus failed(
      FrontStatus status, String reason, String message, Instant now) {
    String shown = message.length() > LONGEST ? message.substring(0, LONGEST) : message;
    return status
        .counting(0, 0, 0, 0)
        .begun(now)
        .with(FrontCondition.of(FAILURE_TARGET, true, reason, shown, now))
        .with(FrontCondition.of(FAILED, true, reason, shown, now));
  }

  private static String reason(Job job) {
    Failure failure = job.run().failure();
    return failure != null && failure.cause() == FailureCause.DEADLINE_EXCEEDED
        ? "DeadlineExceeded"
        : "BackoffLimitExceeded";
  }

  private static String message(Job job) {
    Failure failure = job.run().failure();
    return "Job %s has failed%s"
        .formatted(
            job.id().text(),
            failure == null ? "" : ": " + failure.cause() + ", " + failure.message());
  }

  /** Status of a Job that never runs, because no Fairlead job can express it. */
  public static FrontStatus inexpressible(
      FrontStatus seen, FrontRequest.Inexpressible what, Instant now) {
    Instant second = now.truncatedTo(ChronoUnit.SECONDS);
    String message = what.field() + ": " + what.why();
    return failed(
        refused(seen, "NotExpressible", message, second), "NotExpressible", message, second);
  }

  /** Status of a Job that is not submitted yet, with the reason. */
  public static FrontStatus waiting(FrontStatus seen, String reason, String why, Instant now) {
    return refused(seen, reason, why, now.truncatedTo(ChronoUnit.SECONDS));
  }

  private static FrontStatus refused(FrontStatus seen, String reason, String why, Instant now) {
    String shown = why.length() > LONGEST ? why.substring(0, LONGEST) : why;
    return seen.with(FrontCondition.of(SUBMITTED, false, reason, shown, now));
  }

  static FrontStatus suspended(FrontStatus seen, Instant now) {
    return seen.with(
        FrontCondition.of(
            SUSPENDED,
            true,
            "JobSuspended",
            "Fairlead adopts the Job when spec.suspend is false",
            now.truncatedTo(ChronoUnit.SECONDS)));
  }

  static FrontStatus deleted(FrontStatus seen, JobId job, Instant now) {
    return failed(
        seen,
        "JobDeleted",
        "Job " + job.text() + " was deleted in Fairlead",
        now.truncatedTo(ChronoUnit.SECONDS));
  }

  /** Status of a Job that was submitted to another database. */
  static FrontStatus lost(FrontStatus seen, Instant now) {
    String was = seen.condition(SUBMITTED).map(FrontCondition::message).orElse("");
    return failed(
        seen,
        "JobLost",
        ("Fairlead does not know this Job (%s), for example after a restore of its database. It"
                + " does not run again: create a new Job")
            .formatted(was),
        now.truncatedTo(ChronoUnit.SECONDS));
  }
}
