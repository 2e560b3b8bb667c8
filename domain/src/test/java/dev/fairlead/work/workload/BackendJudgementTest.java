package dev.fairlead.work.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.ClusterRefusal;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.workload.judgement.Verdict;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Attempts with pods that another scheduler binds. */
class BackendJudgementTest {
  private static final String WAITS =
      Member.AWAITS_NODE + " kueue reports: couldn't assign flavors";

  @Test
  void aMemberFollowsItsPodToAnotherNode() {
    Watched watched = Watched.launching(2).bound(0, "n1");

    Verdict verdict = watched.judge();

    assertThat(verdict.attempt().members().getFirst().nodeName()).isEqualTo("n1");
    assertThat(verdict.attempt().members().getFirst().node())
        .isNotEqualTo(verdict.attempt().members().getLast().node());
  }

  /** Fails when the loss of the planned node ends a member that may start on another one. */
  @Test
  void lossOfThePlannedNodeProvesNothingAboutAPodWithoutANode() {
    Watched watched = Watched.launching(1).waits(0, WAITS);
    watched.judge();
    watched.node(0, NodeReports.node("n0").machineGone());

    Verdict verdict = watched.judge();

    assertThat(verdict.attempt().members().getFirst().state()).isEqualTo(MemberState.PENDING);
  }

  @Test
  void attemptWithoutANodeEndsWithTheBackendMessageAtItsStartDeadline() {
    Watched watched = Watched.launching(1).waits(0, WAITS);
    assertThat(watched.judge().attempt().state()).isNotEqualTo(AttemptState.STOPPING);
    watched.after(Duration.ofMinutes(6));

    Verdict verdict = watched.judge();

    assertThat(verdict.attempt().state()).isEqualTo(AttemptState.STOPPING);
    assertThat(verdict.attempt().failure().cause()).isEqualTo(FailureCause.PLACEMENT_CONFLICT);
    assertThat(verdict.attempt().failure().message())
        .contains("got no node in time", "kueue reports: couldn't assign flavors");
    assertThat(ClusterRefusal.of(verdict.attempt().failure()))
        .as("the planned node is not avoided")
        .hasValue(ClusterRefusal.FOR_NOW);
  }

  /** Fails when a gang is explained by a member that only waits for another. */
  @Test
  void messageIsThatOfTheMemberWithoutAFittingNode() {
    Watched watched =
        Watched.launching(2)
            .waits(0, "AwaitsNode the scheduler of the cluster reports: waiting for minCount pods")
            .waits(1, "AwaitsNode the scheduler of the cluster reports: 0/2 nodes are available");
    watched.judge();
    watched.after(Duration.ofMinutes(6));

    assertThat(watched.judge().attempt().failure().message())
        .startsWith("worker-1 got no node in time")
        .contains("0/2 nodes are available");
  }
}
