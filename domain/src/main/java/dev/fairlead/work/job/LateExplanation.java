package dev.fairlead.work.job;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.spec.JobSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An incident that is reported after the end of the attempt that it explains. Monitors report
 * faults some time after the processes have died. The cause is corrected and the retry is returned.
 * A job that has ended remains ended, because others have acted on its end.
 */
public final class LateExplanation {
  /**
   * Maximum time that a fault may follow the stored end and still count as its cause. The two times
   * come from different clocks.
   */
  public static final Duration AFTER_END = Duration.ofMinutes(1);

  private static final String TOO_LATE =
      ", reported after the job had failed. Submit the job again.";

  private LateExplanation() {}

  /**
   * Returns whether a fault of that time may explain the end of the attempt: the attempt failed,
   * its own time limit did not end it, and no incident explains it yet.
   */
  public static boolean possible(Attempt attempt, Instant fault) {
    Instant ended = attempt.endedAt();
    Failure failure = attempt.failure();
    return attempt.state() == AttemptState.FAILED
        && ended != null
        && failure != null
        && !failure.explained()
        && failure.cause() != FailureCause.PLACEMENT_CONFLICT
        && failure.cause() != FailureCause.HANG
        && !attempt.outOfTime()
        && !fault.isAfter(ended.plus(AFTER_END));
  }

  /** The transition that stores it, empty when the attempt was explained in the meantime. */
  public static Optional<Transition> of(
      Job job,
      @Nullable JobElement element,
      Attempt attempt,
      Failure why,
      Instant now,
      String actor) {
    Failure before = attempt.failure();
    if (before == null || before.explained()) {
      return Optional.empty();
    }
    JobStatus run = element == null ? job.run() : element.run();
    JobStatus next = Retry.restarted(corrected(job.spec(), run, before, why, now), attempt, now);
    JobStatus whole =
        element == null ? next : shows(job.run(), before) ? job.run().because(why) : job.run();
    List<JobElement> elements =
        element == null ? List.of() : List.of(new JobElement(job.id(), element.index(), next));
    Attempt explained = attempt.explained(why);
    Fact fact = JobTransitions.attemptFact("AttemptExplained", explained);
    return Optional.of(
        new Transition(
            job.next(whole, job.array()),
            elements,
            explained,
            Transition.AllocationChange.KEEP,
            List.of(fact),
            actor));
  }

  /**
   * The fault counts for the attempt, regardless of their order. The cause of the job is corrected
   * only if it shows this attempt's end.
   */
  private static JobStatus corrected(
      JobSpec spec, JobStatus run, Failure before, Failure why, Instant now) {
    boolean spent = !before.spentNothing() && run.faults() < Retry.MOST_FAULTS;
    JobStatus counted = spent ? run.givenBack() : run.faults(run.faults() + 1);
    boolean shown = shows(run, before);
    return switch (run.state()) {
      case QUEUED -> shown ? again(spec, counted.because(why), why, now) : counted;
      case SUSPENDED, ADMITTED, STARTING, RUNNING -> shown ? counted.because(why) : counted;
      case FAILED -> shown ? counted.because(failed(why, counted.faults())) : counted;
      case SUCCEEDED, CANCELLING, CANCELLED -> run;
    };
  }

  /** False if its deadline or another attempt's end came later. */
  private static boolean shows(JobStatus run, Failure ended) {
    Failure failure = run.failure();
    return failure != null && failure.isOrSaysMoreThan(ended);
  }

  private static Failure failed(Failure why, int faults) {
    return faults > Retry.MOST_FAULTS ? Retry.tooMany(why, faults) : why.saying(TOO_LATE);
  }

  /** The back-off before the next attempt is the same as for a fault known at the end. */
  private static JobStatus again(JobSpec spec, JobStatus run, Failure why, Instant now) {
    JobStatus before = run.faults(run.faults() - 1);
    return Retry.after(spec.retry(), why, AttemptState.FAILED, before, now)
            instanceof JobEvent.Requeued requeued
        ? run.retryAt(requeued.retryAt())
        : run;
  }
}
