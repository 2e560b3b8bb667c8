package dev.fairlead.work.job;

import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.work.attempt.Attempt;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Transitions of a job that does not use its GPUs. Pure. */
public final class IdleTransitions {
  private static final String ACTOR = OwnActor.SYSTEM.text();

  private IdleTransitions() {}

  /** Its owner is notified of the reason. No state changes. */
  public static Transition warned(Job job, Attempt attempt, String why) {
    return JobTransitions.told(EventTypes.IDLE, job, attempt, why, ACTOR);
  }

  /**
   * It is suspended as by its owner: it gets a checkpoint request, stops with its grace period, and
   * waits until it is resumed. The result is empty when its state does not permit it, and for an
   * array, because other elements may be busy.
   */
  public static Optional<List<Transition>> reclaimed(
      Job job, Attempt attempt, String why, Instant now) {
    if (job.array() != null) {
      return Optional.empty();
    }
    Transition told = JobTransitions.told(EventTypes.IDLE_RECLAIMED, job, attempt, why, ACTOR);
    return OwnerTransitions.suspended(told, attempt, why, now, ACTOR);
  }
}
