package dev.fairlead.work.workload.judgement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.DeathEvidence;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.workload.Watched;
import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Effect of an operator's confirmation that members are dead. */
class OperatorConfirmationTest {
  private static final JobSpec SPEC = Specs.job("train").workers(2).build();
  private static final Instant LATER = Watched.START.plusSeconds(600);

  private static Attempt unreachable(int members) {
    Watched watched = Watched.running(members).silent(true);
    watched.judge();
    assertThat(watched.state()).isEqualTo(AttemptState.UNKNOWN);
    return watched.attempt();
  }

  @Test
  void attemptWithAllMembersConfirmedDeadIsLostWithoutANodeDeath() {
    Verdict verdict =
        OperatorConfirmation.on(unreachable(2), SPEC, Set.of("worker-0", "worker-1"), LATER);

    assertThat(verdict.attempt().state()).isEqualTo(AttemptState.LOST);
    assertThat(verdict.attempt().endedAt()).isEqualTo(LATER);
    assertThat(verdict.attempt().failure())
        .matches(failure -> failure.cause() == FailureCause.CLUSTER_LOST)
        .matches(f -> f.message().equals("an operator confirmed that worker-0 on n0 has ended"));
    assertThat(verdict.attempt().members())
        .extracting(Member::evidence)
        .containsOnly(DeathEvidence.OPERATOR_CONFIRMED);
    assertThat(verdict.facts()).hasSize(2);
  }

  /** Fails when an attempt ends before each of its members is proven dead. */
  @Test
  void restOfAGangIsStoppedAndRetainsItsResources() {
    Verdict verdict = OperatorConfirmation.on(unreachable(2), SPEC, Set.of("worker-1"), LATER);

    assertThat(verdict.attempt().state()).isEqualTo(AttemptState.STOPPING);
    assertThat(verdict.attempt().stop())
        .matches(stop -> stop.deadline().equals(LATER.plusSeconds(30)));
    assertThat(verdict.attempt().members()).extracting(Member::dead).containsExactly(false, true);
    Attempt told = verdict.attempt();
    assertThat(OperatorConfirmation.on(told, SPEC, Set.of("worker-0"), LATER).attempt().state())
        .isEqualTo(AttemptState.LOST);
  }

  @Test
  void repeatedConfirmationChangesNothing() {
    Attempt told =
        OperatorConfirmation.on(unreachable(2), SPEC, Set.of("worker-1"), LATER).attempt();

    assertThat(OperatorConfirmation.on(told, SPEC, Set.of("worker-1"), LATER).changed()).isFalse();
  }

  @Test
  void confirmationIsAcceptedOnlyWhenTheClusterCannotReport() {
    assertThat(OperatorConfirmation.heard(unreachable(1), LATER)).isTrue();
    assertThat(OperatorConfirmation.heard(Watched.running(1).attempt(), LATER)).isFalse();
    assertThat(OperatorConfirmation.heard(Watched.planned(1).attempt(), LATER)).isTrue();
    Watched stopping = Watched.running(1).wanted(JobState.CANCELLING);
    stopping.judge();
    assertThat(OperatorConfirmation.heard(stopping.attempt(), Watched.START.plusSeconds(1)))
        .isFalse();
    assertThat(OperatorConfirmation.heard(stopping.attempt(), LATER)).isTrue();
  }
}
