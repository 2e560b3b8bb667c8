package dev.fairlead.work.workload.judgement;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptLifecycle;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.PlaceFailure;
import dev.fairlead.work.attempt.member.DeathEvidence;
import dev.fairlead.work.attempt.member.Member;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * End of an attempt without any object sent to its cluster: it is {@code PLANNED}, and its launch
 * is stored before the first create is sent.
 */
public final class UnlaunchedAttempt {
  private UnlaunchedAttempt() {}

  /**
   * Abandons it, so that its job is planned again without spending a retry. Empty once it may have
   * been sent.
   *
   * @param why reason why its cluster accepts no requests
   */
  public static Optional<Verdict> giveUp(Attempt attempt, String why, Instant now) {
    if (attempt.state() != AttemptState.PLANNED) {
      return Optional.empty();
    }
    List<Member> members =
        attempt.members().stream().map(m -> m.dead() ? m : neverCreated(m, now)).toList();
    AttemptEvent.Ended end = end(attempt, "no object of it was sent to its cluster: " + why);
    return AttemptLifecycle.apply(attempt.with(members), end, now)
        .map(ended ->
            new Verdict(ended, end, MemberJudge.facts(attempt.members(), members), false, null));
  }

  static Member neverCreated(Member member, Instant now) {
    return member.gone(DeathEvidence.NEVER_CREATED, "never created", now);
  }

  static AttemptEvent.Ended end(Attempt attempt, String message) {
    return new AttemptEvent.Ended(
        AttemptState.EVICTED,
        Failure.of(FailureCause.PLACEMENT_CONFLICT, message, attempt.number())
            .withEvidence(List.of(PlaceFailure.NOTHING_SENT)));
  }
}
