package dev.fairlead.work.job;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.CheckpointRequest;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.Transition.AllocationChange;
import dev.fairlead.work.spec.Deadline;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reports of a program about its work. Pure. Empty results mean that its state does not accept the
 * change.
 */
public final class CheckpointTransitions {
  /** Minimum time between two equal reports of an attempt that change its job. */
  private static final Duration SAID_JUST_NOW = Duration.ofSeconds(10);

  private CheckpointTransitions() {}

  /**
   * The attempt can resume from its current work. A pending checkpoint request then stops the
   * attempt, even for an element of an array, because elements report separately.
   *
   * @param position position of the work, in the program's words, null if it reports none
   * @return the attempt unchanged if it reported just before and has no new request since
   */
  public static Optional<Transition> saved(
      Job job, Attempt attempt, @Nullable String position, Instant now) {
    if (attempt.state() != AttemptState.RUNNING && attempt.awaitedCheckpoint() == null) {
      return Optional.empty();
    }
    String actor = actor(attempt);
    return Optional.of(
        saidJustNow(attempt, now)
            ? of(job, attempt, List.of(), actor)
            : saved(job, attempt, position, now, actor));
  }

  /** Ignores reports from before a clock was set back. */
  private static boolean saidJustNow(Attempt attempt, Instant now) {
    Instant last = attempt.checkpointedAt();
    CheckpointRequest request = attempt.awaitedCheckpoint();
    return last != null
        && !now.isBefore(last)
        && now.isBefore(last.plus(SAID_JUST_NOW))
        && (request == null || request.answeredBy(last));
  }

  static Transition saved(
      Job job, Attempt attempt, @Nullable String position, Instant now, String actor) {
    CheckpointRequest request = attempt.awaitedCheckpoint();
    /* After a clock that was set back it would precede the request. */
    Attempt saved =
        attempt.checkpointed(
            request != null && now.isBefore(request.asked()) ? request.asked() : now);
    Fact fact = JobTransitions.attemptFact("AttemptCheckpointed", saved);
    return of(
        job, saved, List.of(position == null ? fact : fact.with("position", position)), actor);
  }

  /**
   * Extends the deadline of an attempt that is saving a requested checkpoint: to this long from
   * now, at most to the maximum time since the request, and never beyond the time limit of its job.
   * Time already granted is not revoked.
   *
   * @return the attempt unchanged if no more time is available
   */
  public static Optional<Transition> extended(
      Job job, Attempt attempt, Duration more, Duration longest, Instant now) {
    if (attempt.awaitedCheckpoint() == null) {
      return Optional.empty();
    }
    Instant wanted = now.plus(more);
    Instant stops = Deadline.stops(job.spec(), attempt.startedAt());
    Instant until = stops != null && stops.isBefore(wanted) ? stops : wanted;
    Attempt longer = attempt.checkpointExtended(until, longest);
    Fact fact = JobTransitions.attemptFact(EventTypes.CHECKPOINT_EXTENDED, longer);
    return Optional.of(
        of(job, longer, longer.equals(attempt) ? List.of() : List.of(fact), actor(attempt)));
  }

  private static Transition of(Job job, Attempt attempt, List<Fact> facts, String actor) {
    return Transition.of(job, attempt, AllocationChange.KEEP, facts, actor);
  }

  /** The event needs no details. */
  private static String actor(Attempt attempt) {
    return attempt.id().text();
  }
}
