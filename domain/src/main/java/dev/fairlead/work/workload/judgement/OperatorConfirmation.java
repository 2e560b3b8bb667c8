package dev.fairlead.work.workload.judgement;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptLifecycle;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.attempt.member.DeathEvidence;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.spec.JobSpec;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An operator confirms that members are dead, without other proof. Pure. When all are dead the
 * attempt ends. Otherwise its remaining members are stopped, as after any other death.
 */
public final class OperatorConfirmation {
  private OperatorConfirmation() {}

  /**
   * Returns whether the confirmation is accepted. For an attempt that can be observed, or that
   * still has time to end, the cluster itself will report the end. A planned attempt may remain
   * planned while its cluster is silent, if an older state of the database may have planned it.
   */
  public static boolean heard(Attempt attempt, Instant now) {
    Attempt.StopOrder stop = attempt.stop();
    return attempt.state() == AttemptState.UNKNOWN
        || attempt.state() == AttemptState.PLANNED
        || attempt.state() == AttemptState.STOPPING
            && stop != null
            && !now.isBefore(stop.deadline());
  }

  /**
   * The attempt after the confirmation. Unchanged if all members were already dead.
   *
   * @param members {@code role-index} of each
   * @param spec spec of its job
   */
  public static Verdict on(Attempt attempt, JobSpec spec, Set<String> members, Instant now) {
    List<Member> after =
        attempt.members().stream()
            .map(m -> members.contains(m.key()) && !m.dead() ? dead(m, now) : m)
            .toList();
    List<Fact> facts = MemberJudge.facts(attempt.members(), after);
    Attempt told = attempt.with(after);
    AttemptEvent event = facts.isEmpty() ? null : event(told, spec, now);
    Attempt next = event == null ? told : AttemptLifecycle.apply(told, event, now).orElse(told);
    return new Verdict(next, event, facts, false, null);
  }

  private static Member dead(Member member, Instant now) {
    return member.gone(
        DeathEvidence.OPERATOR_CONFIRMED, DeathEvidence.OPERATOR_CONFIRMED.name(), now);
  }

  private static @Nullable AttemptEvent event(Attempt told, JobSpec spec, Instant now) {
    if (told.members().stream().allMatch(Member::dead)) {
      return AttemptJudge.ended(told, spec);
    }
    boolean broken =
        told.core().stream().anyMatch(m -> m.dead() && m.state() != MemberState.SUCCEEDED);
    return told.state() == AttemptState.STOPPING || !broken
        ? null
        : new AttemptEvent.Stop(
            StopCause.MEMBER_FAILED,
            FirstFailure.of(told),
            now.plus(spec.preemption().gracePeriod()));
  }
}
