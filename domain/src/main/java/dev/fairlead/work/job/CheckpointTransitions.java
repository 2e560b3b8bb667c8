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

/** What a program says of its work. Pure. Empty answers mean that its state does not take it. */
public final class CheckpointTransitions {
  /** One attempt changes its job no sooner again by saying the same. */
  private static final Duration SAID_JUST_NOW = Duration.ofSeconds(10);

  private CheckpointTransitions() {}

  /**
   * The work of this attempt up to now can be taken up again. One that was asked to save it is
   * stopped then, an element of an array as well: it is the one that says so.
   *
   * @param position where the work stands, in words of the program; null when it does not say
   * @return the attempt as it was when it has just said so and was not asked since
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

  /** Not by a clock that was set back since. */
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
    // by a clock that was set back meanwhile it would come before the request
    Attempt saved =
        attempt.checkpointed(
            request != null && now.isBefore(request.asked()) ? request.asked() : now);
    Fact fact = JobTransitions.attemptFact("AttemptCheckpointed", saved);
    return of(
        job, saved, List.of(position == null ? fact : fact.with("position", position)), actor);
  }

  /**
   * The attempt was asked to save its work, does so, and is waited for longer: so long from now, at
   * most for the longest time since it was asked, and not beyond the time of its job. What it has
   * already is not taken away.
   *
   * @return the attempt as it was when it has no more time
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
    return new Transition(
        job.next(job.run(), job.array()), List.of(), attempt, AllocationChange.KEEP, facts, actor);
  }

  /** It speaks for itself. */
  private static String actor(Attempt attempt) {
    return attempt.id().text();
  }
}
