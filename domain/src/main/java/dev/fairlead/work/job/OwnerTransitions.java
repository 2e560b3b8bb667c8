package dev.fairlead.work.job;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptLifecycle;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.CheckpointRequest;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.Transition.AllocationChange;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.WarmMember;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Actions of an owner on a stored job: the job's next row and, if it stops, a stop order for each
 * live attempt, as one chain. An attempt holds its resources, and its job is not offered again,
 * until there is evidence of its death. Pure. Empty results mean that the state does not accept the
 * change.
 */
public final class OwnerTransitions {
  /** Fact of a change of the spec. See {@link Transition#respecified}. */
  static final String PATCHED = "JobPatched";

  private OwnerTransitions() {}

  /**
   * Suspends the job until an owner resumes it. Live attempts stop, including attempts of all
   * elements of an array.
   */
  public static Optional<List<Transition>> suspend(
      Job job, List<Attempt> live, Instant now, String actor) {
    return JobTransitions.step(job.run(), new JobEvent.Suspended(), now)
        .map(run -> stopping(job, run, live, "suspended by its owner", now, actor));
  }

  /** Suspends the job for a reason of the service, with the text of the reason. */
  static Optional<List<Transition>> suspended(
      Transition told, Attempt live, String why, Instant now, String actor) {
    Job job = told.job();
    return JobTransitions.step(job.run(), new JobEvent.Suspended(), now)
        .map(run -> {
          List<Transition> chain = new ArrayList<>(List.of(told));
          chain.addAll(stopping(job, run, List.of(live), why, now, actor));
          return chain;
        });
  }

  /** Waits for a place again. */
  public static Optional<List<Transition>> resume(Job job, Instant now, String actor) {
    return JobTransitions.step(job.run(), new JobEvent.Resumed(), now)
        .map(run -> List.of(moved(job, run, actor)));
  }

  /**
   * Stops and waits for a placement again, or ends its back-off. The array itself does not change.
   * Each element changes separately.
   *
   * @param backingOff elements of an array that wait for the end of their back-off
   */
  public static Optional<List<Transition>> requeue(
      Job job, List<JobElement> backingOff, List<Attempt> live, Instant now, String actor) {
    if (job.array() != null) {
      return Optional.of(requeued(job, backingOff, live, now, actor));
    }
    return JobTransitions.step(job.run(), new JobEvent.RequeueRequested(), now)
        .map(run -> stopping(job, run, live, "requeued by its owner", now, actor));
  }

  /**
   * Changes the spec of the job. Live attempts continue with the spec at their start.
   *
   * @param fields names of the fields that changed, as on the wire
   */
  public static Transition patch(Job job, JobSpec spec, List<String> fields, String actor) {
    Fact fact = Fact.of(PATCHED).with("fields", String.join(",", fields));
    return new Transition(
        job.respecified(spec), List.of(), null, AllocationChange.KEEP, List.of(fact), actor);
  }

  /**
   * A member of a warm pool becomes the job of a submit. Its attempt continues, and its times begin
   * now.
   *
   * @param running attempt of the member
   * @param wanted job of the submit, which is not stored
   */
  public static Transition take(Job member, Attempt running, Job wanted, Instant now) {
    Fact fact =
        Fact.of(EventTypes.TAKEN)
            .with("name", wanted.name())
            .with("warmPool", member.spec().labels().getOrDefault(WarmMember.LABEL, ""))
            .with("waitedSeconds", Duration.between(member.run().changedAt(), now).toSeconds());
    return new Transition(
        member.takenBy(wanted, now),
        List.of(),
        running.ownedSince(now),
        AllocationChange.TRANSFER,
        List.of(fact),
        wanted.user());
  }

  /**
   * Running attempts of the job can resume from now: ending them loses only later work. Attempts
   * with a pending checkpoint request are stopped then, except elements of an array, because the
   * reporting element is unknown. The result is empty if no member runs.
   */
  public static Optional<List<Transition>> checkpoint(
      Job job, List<Attempt> live, Instant now, String actor) {
    List<Transition> chain = new ArrayList<>();
    for (Attempt attempt : live) {
      CheckpointRequest request = attempt.awaitedCheckpoint();
      boolean asked = request != null && job.array() == null;
      if (attempt.state() == AttemptState.RUNNING || asked) {
        Job last = chain.isEmpty() ? job : chain.getLast().job();
        chain.add(CheckpointTransitions.saved(last, attempt, null, now, actor));
      }
    }
    return chain.isEmpty() ? Optional.empty() : Optional.of(chain);
  }

  /** Deletes a job that has ended. */
  public static Transition delete(Job job, String actor) {
    Fact fact = Fact.of("JobDeleted").with("name", job.name());
    return Transition.of(job, null, AllocationChange.KEEP, List.of(fact), actor);
  }

  private static List<Transition> requeued(
      Job job, List<JobElement> backingOff, List<Attempt> live, Instant now, String actor) {
    List<JobElement> ready = new ArrayList<>();
    for (JobElement element : backingOff) {
      JobTransitions.step(element.run(), new JobEvent.RequeueRequested(), now)
          .ifPresent(run -> ready.add(new JobElement(job.id(), element.index(), run)));
    }
    Transition first =
        new Transition(
            job.next(job.run(), job.array()),
            ready,
            null,
            AllocationChange.KEEP,
            List.of(Fact.of("JobRequeued").with("elements", ready.size() + live.size())),
            actor);
    return stopped(first, live, "requeued by its owner", now, actor);
  }

  private static List<Transition> stopping(
      Job job, JobStatus run, List<Attempt> live, String why, Instant now, String actor) {
    return stopped(moved(job, run, actor), live, why, now, actor);
  }

  private static List<Transition> stopped(
      Transition first, List<Attempt> live, String why, Instant now, String actor) {
    List<Transition> chain = new ArrayList<>();
    chain.add(first);
    for (Attempt attempt : live) {
      Job last = chain.getLast().job();
      AttemptEvent stop = JobTransitions.stop(attempt, StopCause.SUSPEND, last.spec(), why, now);
      AttemptLifecycle.apply(attempt, stop, now)
          .map(stopped ->
              new Transition(
                  last.next(last.run(), last.array()),
                  List.of(),
                  stopped,
                  AllocationChange.KEEP,
                  List.of(JobTransitions.attemptFact("AttemptStopping", stopped)),
                  actor))
          .ifPresent(chain::add);
    }
    return chain;
  }

  private static Transition moved(Job job, JobStatus run, String actor) {
    return new Transition(
        job.next(run, job.array()),
        List.of(),
        null,
        AllocationChange.KEEP,
        List.of(JobTransitions.jobFact(run)),
        actor);
  }
}
