package dev.fairlead.work.job;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.CheckpointRequest;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.Transition.AllocationChange;
import dev.fairlead.work.spec.Deadline;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.PreemptionSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Turns an event into a {@link Transition}: the next rows and their facts. Pure. Empty results mean
 * that nothing changes, because the event was late or repeated.
 */
public final class JobTransitions {
  private JobTransitions() {}

  public static Transition submit(Job job) {
    return submit(job, null);
  }

  /**
   * A new job.
   *
   * @param noWarmPool reason why a session does not take a member of a warm pool, null without a
   *     pool
   */
  public static Transition submit(Job job, @Nullable String noWarmPool) {
    Fact plain =
        Fact.of("JobSubmitted").with("name", job.name()).with("members", job.spec().members());
    Fact fact = noWarmPool == null ? plain : plain.with("noWarmPool", noWarmPool);
    return new Transition(job, List.of(), null, AllocationChange.KEEP, List.of(fact), job.user());
  }

  /**
   * The job was placed: the attempt is new and takes its allocation. The result is empty for an
   * array without waiting elements: an expired element retains its row, and would start when the
   * clock is set back.
   */
  public static Optional<Transition> admit(
      Job job, @Nullable JobElement element, Attempt attempt, Instant now, String actor) {
    if (job.array() != null && job.array().queued() <= 0) {
      return Optional.empty();
    }
    JobEvent event = new JobEvent.Admitted(attempt.id());
    JobStatus before =
        job.array() == null ? job.run() : element == null ? JobStatus.queued(now) : element.run();
    return step(before, event, now)
        .map(run ->
            change(job, element, attempt, run, now)
                .with(admissionFact(job, attempt), AllocationChange.TAKE, actor));
  }

  /**
   * The attempt's members or state moved.
   *
   * @param attempt the attempt to store
   * @param event event that changed its state, null when only members changed
   * @param members changes of the members, for the event log
   */
  public static Transition observe(
      Job job,
      @Nullable JobElement element,
      Attempt attempt,
      @Nullable AttemptEvent event,
      List<Fact> members,
      Instant now,
      String actor) {
    List<Fact> facts = new ArrayList<>(members);
    if (event != null) {
      Fact fact = attemptFact(type(attempt, event), attempt);
      boolean again = event instanceof AttemptEvent.Seen;
      facts.add(again ? fact.with(DecisionRecord.SEEN_AGAIN, true) : fact);
    }
    AllocationChange holding =
        event instanceof AttemptEvent.Ended ? AllocationChange.RELEASE : AllocationChange.KEEP;
    JobStatus before = element == null ? job.run() : element.run();
    JobStatus after =
        event == null
            ? before
            : Retry.restarted(
                follow(job.spec(), asCancelled(job, before), event, now), attempt, now);
    Changed changed = change(job, element, asCounted(attempt, before, event), after, now);
    if (element != null && after.state() != before.state()) {
      facts.add(runFact("Element", after).with("element", element.index()));
    }
    if (changed.job().state() != job.state()) {
      facts.add(jobFact(changed.job().run()));
    }
    return changed.with(facts, holding, actor);
  }

  /**
   * Cancels: immediately without live attempts, otherwise the intent is stored and the attempts are
   * ordered to stop.
   */
  public static Optional<Transition> cancel(Job job, boolean live, Instant now, String actor) {
    if (job.array() != null && !job.run().ended() && job.state() != JobState.CANCELLING) {
      ArrayProgress array = job.array().cancelQueued();
      JobStatus run = step(forced(job.run(), live), cancelEvent(live), now).orElse(job.run());
      return Optional.of(
          new Transition(
              job.next(run, array),
              List.of(),
              null,
              AllocationChange.KEEP,
              List.of(jobFact(run)),
              actor));
    }
    return step(job.run(), cancelEvent(live), now)
        .map(run ->
            new Transition(
                job.next(run, job.array()),
                List.of(),
                null,
                AllocationChange.KEEP,
                List.of(jobFact(run)),
                actor));
  }

  /**
   * Fails a waiting job that can no longer end before its deadline. The waiting elements of an
   * array fail, and live elements continue. The result is empty for a job that does not wait or has
   * no deadline.
   *
   * @param live whether the job has a live attempt
   */
  public static Optional<Transition> expire(Job job, boolean live, Instant now, String actor) {
    if (!Deadline.passed(job.spec(), now) || job.array() == null && live) {
      return Optional.empty();
    }
    String message = Deadline.message(job.spec(), now);
    return unstarted(
        job, Failure.of(FailureCause.DEADLINE_EXCEEDED, message, job.run().attempts()), now, actor);
  }

  /**
   * The job waits for a dependency that can no longer be met: it fails, or is cancelled if it is
   * not needed, and of an array all elements that wait. The result is empty for a job that does not
   * wait, or that has the policy WAIT.
   *
   * @param cause DEPENDENCY_FAILED or SKIPPED
   * @param why names the dependency, human-readable
   * @param live whether an attempt of the job lives
   */
  public static Optional<Transition> dependencyFailed(
      Job job, FailureCause cause, String why, boolean live, Instant now, String actor) {
    if (job.spec().onDependencyFailure() != JobSpec.OnDependencyFailure.FAIL
        || job.array() == null && live) {
      return Optional.empty();
    }
    return unstarted(job, Failure.of(cause, why, job.run().attempts()), now, actor);
  }

  /**
   * Ends array elements whose dependency per element can no longer be met: they fail, or are
   * cancelled if they are not needed. The result is empty for a job that has ended or is being
   * cancelled.
   *
   * @param cause DEPENDENCY_FAILED or SKIPPED
   * @param why names the dependency, human-readable
   * @param indexes elements without a row, at least one
   */
  public static Optional<Transition> elementsFailed(
      Job job,
      FailureCause cause,
      String why,
      Collection<Integer> indexes,
      Instant now,
      String actor) {
    ArrayProgress array = job.array();
    boolean waits = job.state() == JobState.QUEUED || job.state() == JobState.RUNNING;
    if (array == null || !waits || array.queued() < indexes.size()) {
      return Optional.empty();
    }
    Failure failure = Failure.of(cause, why, 0);
    JobEvent end =
        cause == FailureCause.SKIPPED
            ? new JobEvent.Skipped(failure)
            : new JobEvent.Expired(failure);
    JobStatus run = step(JobStatus.queued(now), end, now).orElseThrow();
    List<JobElement> rows = new ArrayList<>();
    for (int index : indexes) {
      rows.add(new JobElement(job.id(), index, run));
      array = array.moved(null, run.state());
    }
    JobStatus sum = array.life(job.run(), run, now);
    return Optional.of(expired(job, sum, array, rows, cause, actor));
  }

  /** The waiting part of the job ends without an attempt: cancelled if SKIPPED, else failed. */
  static Optional<Transition> unstarted(Job job, Failure failure, Instant now, String actor) {
    boolean skipped = failure.cause() == FailureCause.SKIPPED;
    JobEvent end = skipped ? new JobEvent.Skipped(failure) : new JobEvent.Expired(failure);
    if (job.array() == null) {
      return Optional.of(job.run())
          .filter(run -> run.state() == JobState.QUEUED)
          .flatMap(run -> step(run, end, now))
          .map(run -> expired(job, run, null, List.of(), failure.cause(), actor));
    }
    boolean waits = job.state() == JobState.QUEUED || job.state() == JobState.RUNNING;
    if (!waits || job.array().queued() == 0) {
      return Optional.empty();
    }
    ArrayProgress array = skipped ? job.array().cancelQueued() : job.array().failQueued();
    JobStatus element = step(JobStatus.queued(now), end, now).orElseThrow();
    JobStatus run = array.life(job.run(), element, now);
    return Optional.of(expired(job, run, array, List.of(), failure.cause(), actor));
  }

  private static Transition expired(
      Job job,
      JobStatus run,
      @Nullable ArrayProgress array,
      List<JobElement> rows,
      FailureCause cause,
      String actor) {
    Fact fact =
        run.state() == job.state()
            ? Fact.of("ElementsExpired").with("cause", cause.name())
            : jobFact(run);
    return new Transition(
        job.next(run, array), rows, null, AllocationChange.KEEP, List.of(fact), actor);
  }

  /**
   * No object of the ended attempt remains on its cluster. The job has the same version as before.
   */
  public static Transition retire(Job job, Attempt attempt, Instant now, String actor) {
    Attempt retired = attempt.retired(now);
    return new Transition(
        job,
        List.of(),
        retired,
        AllocationChange.KEEP,
        List.of(attemptFact(EventTypes.RETIRED, retired)),
        actor);
  }

  /** Handling of the attempt fails repeatedly and is paused. No state changes. */
  public static Transition setAside(Job job, Attempt attempt, String why, String actor) {
    return told("AttemptSetAside", job, attempt, why, actor);
  }

  /** Objects of the ended attempt remain on its cluster, with their blocker. No state changes. */
  public static Transition notCleared(Job job, Attempt attempt, String why, String actor) {
    return told(EventTypes.NOT_CLEARED, job, attempt, why, actor);
  }

  /** Devices of the attempt are reported for another pod too. No state changes. */
  public static Transition devicesShared(Job job, Attempt attempt, String why, String actor) {
    return told(EventTypes.DEVICES_DISPUTED, job, attempt, why, actor);
  }

  static Transition told(String type, Job job, Attempt attempt, String why, String actor) {
    return Transition.of(
        job,
        attempt,
        AllocationChange.KEEP,
        List.of(attemptFact(type, attempt).with("message", why)),
        actor);
  }

  /**
   * The event that orders an attempt to end. The deadline is the grace period from now, or from the
   * end of the checkpoint time, which ends with the job's own time.
   */
  public static AttemptEvent.Stop stop(
      Attempt attempt, StopCause cause, JobSpec spec, String message, Instant now) {
    FailureCause why =
        switch (cause) {
          case CANCEL, SUSPEND -> FailureCause.STOPPED;
          case PREEMPTION, DRAIN -> FailureCause.PREEMPTED;
          case ISOLATION -> FailureCause.GPU_FAULT;
          case MEMBER_FAILED -> FailureCause.USER_ERROR;
          case START_TIMEOUT -> FailureCause.START_TIMEOUT;
          case HANG -> FailureCause.HANG;
          case DEADLINE -> FailureCause.DEADLINE_EXCEEDED;
          case EVICTION -> FailureCause.EVICTED;
          case LOSS -> FailureCause.NODE_FAILURE;
        };
    return stop(attempt, cause, Failure.of(why, message, attempt.number()), spec, now);
  }

  /** The event that preempts an attempt for another job by this right. */
  public static AttemptEvent.Stop preempt(
      Attempt attempt, EvictionRight right, JobSpec spec, Instant now) {
    Failure failure = Failure.preempted(right, attempt.number());
    return stop(attempt, StopCause.PREEMPTION, failure, spec, now);
  }

  /** Like {@link #stop(Attempt, StopCause, JobSpec, String, Instant)}, with this failure. */
  public static AttemptEvent.Stop stop(
      Attempt attempt, StopCause cause, Failure failure, JobSpec spec, Instant now) {
    PreemptionSpec rules = spec.preemption();
    Instant latest = Deadline.stops(spec, attempt.startedAt());
    CheckpointRequest request =
        CheckpointRequest.of(attempt, cause, rules.checkpointTimeout(), latest, now);
    Instant told = request == null ? now : request.until();
    return new AttemptEvent.Stop(cause, failure, told.plus(rules.gracePeriod()), request);
  }

  private static JobEvent cancelEvent(boolean live) {
    return live ? new JobEvent.CancelRequested() : new JobEvent.Cancelled();
  }

  /**
   * An array job without live elements may be RUNNING (some ended, others wait). Cancelling ends it
   * immediately, and not because some of its elements were not needed.
   */
  private static JobStatus forced(JobStatus run, boolean live) {
    JobState from = live ? JobState.RUNNING : JobState.QUEUED;
    Failure failure = run.failure();
    boolean skipped = failure != null && failure.cause() == FailureCause.SKIPPED;
    return run.to(
        from,
        run.changedAt(),
        run.startedAt(),
        null,
        run.attempts(),
        run.failures(),
        null,
        skipped ? null : failure);
  }

  /**
   * Live elements of a cancelled array are being cancelled even if they stop for another reason,
   * and no element is retried.
   */
  private static JobStatus asCancelled(Job job, JobStatus run) {
    boolean applies =
        job.state() == JobState.CANCELLING
            && JobLifecycle.TABLE.next(run.state(), JobEvent.Kind.REQUEUED).isPresent();
    return applies ? step(run, new JobEvent.CancelRequested(), run.changedAt()).orElse(run) : run;
  }

  /**
   * The stored form: an attempt that failed after its job was suspended used no retry, so no retry
   * can be returned.
   */
  private static Attempt asCounted(
      Attempt attempt, JobStatus before, @Nullable AttemptEvent event) {
    boolean waits = before.state() == JobState.SUSPENDED || before.state() == JobState.QUEUED;
    Failure failure = attempt.failure();
    return waits
            && failure != null
            && event instanceof AttemptEvent.Ended end
            && end.state() == AttemptState.FAILED
        ? attempt.explained(failure.spendingNothing())
        : attempt;
  }

  /** Effect of an attempt's event on its job or element. */
  private static JobStatus follow(JobSpec spec, JobStatus run, AttemptEvent event, Instant now) {
    return switch (event) {
      case AttemptEvent.Launch e -> step(run, new JobEvent.Starting(), now).orElse(run);
      case AttemptEvent.Progress e ->
          e.running() ? step(run, new JobEvent.Running(), now).orElse(run) : run;
      case AttemptEvent.Seen e ->
          e.state() == AttemptState.RUNNING
              ? step(run, new JobEvent.Running(), now).orElse(run)
              : run;
      case AttemptEvent.Stop e ->
          e.cause() == StopCause.CANCEL
              ? step(run, new JobEvent.CancelRequested(), now).orElse(run)
              : run;
      case AttemptEvent.Unreachable e -> run;
      case AttemptEvent.CheckpointEnded e -> run;
      case AttemptEvent.Ended e -> afterEnd(spec, run, e, now);
    };
  }

  private static JobStatus afterEnd(
      JobSpec spec, JobStatus run, AttemptEvent.Ended end, Instant now) {
    if (end.state() == AttemptState.SUCCEEDED) {
      return step(run, new JobEvent.Succeeded(), now).orElse(run);
    }
    JobEvent event =
        switch (run.state()) {
          case CANCELLING -> new JobEvent.Cancelled();
          case SUSPENDED, QUEUED, SUCCEEDED, FAILED, CANCELLED -> null;
          case ADMITTED, STARTING, RUNNING -> afterEndOfLife(spec, run, end, now);
        };
    return event == null ? run : step(run, event, now).orElse(run);
  }

  /** An element that was stopped because its array was suspended waits again. */
  private static JobEvent afterEndOfLife(
      JobSpec spec, JobStatus run, AttemptEvent.Ended end, Instant now) {
    if (end.state() == AttemptState.CANCELLED) {
      return new JobEvent.RequeueRequested();
    }
    return Retry.after(spec.retry(), end.failure(), end.state(), run, now);
  }

  static Optional<JobStatus> step(JobStatus run, JobEvent event, Instant now) {
    return switch (JobLifecycle.apply(run, event, now)) {
      case JobLifecycle.Step.Moved moved -> Optional.of(moved.run());
      case JobLifecycle.Step.Rejected rejected -> Optional.empty();
    };
  }

  /** Next rows before facts and holding are known. */
  private record Changed(Job job, List<JobElement> elements, Attempt attempt) {
    Transition with(Fact fact, AllocationChange holding, String actor) {
      return with(List.of(fact), holding, actor);
    }

    Transition with(List<Fact> facts, AllocationChange holding, String actor) {
      return new Transition(job, elements, attempt, holding, facts, actor);
    }
  }

  private static Changed change(
      Job job, @Nullable JobElement element, Attempt attempt, JobStatus after, Instant now) {
    ArrayProgress array = job.array();
    if (array == null) {
      return new Changed(job.next(after, null), List.of(), attempt);
    }
    JobState before = element == null ? null : element.run().state();
    ArrayProgress moved = array.moved(before, after.state());
    JobElement row = new JobElement(job.id(), attempt.element(), after);
    return new Changed(job.next(moved.life(job.run(), after, now), moved), List.of(row), attempt);
  }

  static Fact jobFact(JobStatus run) {
    return runFact("Job", run);
  }

  private static Fact runFact(String subject, JobStatus run) {
    Fact fact = Fact.of(EventTypes.of(subject, run.state()));
    return caused(fact, run.failure());
  }

  private static Fact caused(Fact fact, @Nullable Failure failure) {
    if (failure == null) {
      return fact;
    }
    Fact caused = fact.with("cause", failure.cause().name());
    if (failure.faulty()) {
      return caused.with("message", failure.message());
    }
    return failure.right() == null ? caused : caused.with("right", failure.right().name());
  }

  private static Fact admissionFact(Job job, Attempt attempt) {
    return job.array() == null
        ? attemptFact("JobAdmitted", attempt)
        : attemptFact("ElementAdmitted", attempt).with("element", attempt.element());
  }

  private static String type(Attempt attempt, AttemptEvent event) {
    return event instanceof AttemptEvent.CheckpointEnded
        ? EventTypes.CHECKPOINT_ENDED
        : EventTypes.of("Attempt", attempt.state());
  }

  static Fact attemptFact(String type, Attempt attempt) {
    Fact fact =
        Fact.of(type)
            .with("attempt", attempt.id().text())
            .with("number", attempt.number())
            .with("cluster", attempt.cluster().text());
    CheckpointRequest request = attempt.checkpointRequest();
    if (request == null) {
      return caused(fact, attempt.failure());
    }
    CheckpointRequest.Outcome outcome = request.outcome();
    Fact asked = fact.with("checkpointUntil", request.until().toString());
    return caused(
        outcome == null ? asked : asked.with("checkpoint", outcome.name()), attempt.failure());
  }
}
