package dev.fairlead.work.workload.judgement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeNotice;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.CheckpointRequest;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.workload.Watched;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Attempts on machines whose end is announced. */
class NoticeEvictionTest {
  private static final Duration GRACE = Specs.RULES.gracePeriod();
  private static final Instant START = Watched.START;
  private static final Duration SAVES = Duration.ofMinutes(2);

  private static NodeReports ends(Instant deadline) {
    return NodeReports.node("n1").notice(NodeNotice.Kind.SPOT, deadline);
  }

  private static Specs saving(int members) {
    return Specs.job("train").workers(members).checkpointTimeout(SAVES);
  }

  private static Attempt.StopOrder order(Watched gang) {
    return Objects.requireNonNull(gang.attempt().stop());
  }

  private static CheckpointRequest request(Watched gang) {
    return Objects.requireNonNull(gang.attempt().checkpointRequest());
  }

  /** Fails if the notice is not the cause: the owner would not know why the job moved. */
  @Test
  void spotNoticeMovesTheGangImmediatelyAndItsFailureNamesIt() {
    Watched gang = Watched.running(2).node(1, ends(START.plusSeconds(120)));
    gang.judge();

    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(order(gang).cause()).isEqualTo(StopCause.DRAIN);
    assertThat(order(gang).deadline()).isEqualTo(START.plus(GRACE));

    gang.exits(0, 143, "Error").exits(1, 1, "Error").judge();
    assertThat(gang.state()).as("costs no retry").isEqualTo(AttemptState.PREEMPTED);
    Failure failure = Objects.requireNonNull(gang.attempt().failure());
    assertThat(failure.cause()).isEqualTo(FailureCause.PREEMPTED);
    assertThat(failure.node()).isEqualTo("n1");
    assertThat(failure.wasAnnounced()).isTrue();
    assertThat(failure.message())
        .satisfies(
            reason(
                "notice-eviction.node-notice-spot-interruption",
                "n1",
                "2030-01-01T00:02:00Z",
                "test/notice"));
  }

  /** Fails when the job's own checkpoint time applies: its machine would end while it saves. */
  @Test
  void checkpointAndGraceEndBeforeTheDeadline() {
    Instant deadline = START.plusSeconds(60);
    Watched gang = Watched.running(saving(2)).node(1, ends(deadline));
    gang.judge();
    assertThat(request(gang).until()).isEqualTo(deadline.minus(NoticeEviction.MARGIN).minus(GRACE));
    assertThat(order(gang).deadline()).isEqualTo(deadline.minus(NoticeEviction.MARGIN));
  }

  @Test
  void jobHasItsFullCheckpointTimeIfTheNoticeAllowsIt() {
    Watched gang = Watched.running(saving(2)).node(1, ends(START.plusSeconds(600)));
    gang.judge();
    assertThat(request(gang).until()).isEqualTo(START.plus(SAVES));
  }

  /** Fails when a notice with too little time for both requests a checkpoint and then kills. */
  @Test
  void noticeOfThirtySecondsIsUsedAsGracePeriodOnly() {
    Instant deadline = START.plusSeconds(30);
    Watched gang = Watched.running(saving(2)).node(1, ends(deadline));
    gang.judge();
    assertThat(gang.attempt().checkpointRequest()).isNull();
    assertThat(order(gang).deadline()).isEqualTo(deadline.minus(NoticeEviction.MARGIN));
  }

  /** Fails when a handshake that another cause began outlasts the machine. */
  @Test
  void noticeShortensAnEarlierCheckpointRequest() {
    Instant deadline = START.plusSeconds(60);
    Watched gang = Watched.running(saving(2)).ordered(StopCause.PREEMPTION).asks();
    gang.node(1, ends(deadline));
    Instant last = deadline.minus(NoticeEviction.MARGIN).minus(GRACE);
    assertThat(gang.judge().lookAgainAt()).isEqualTo(last);
    gang.extended(Duration.ofMinutes(1), Duration.ofHours(1)).judge();
    assertThat(request(gang).open()).isTrue();
    gang.after(Duration.between(START, last)).judge();
    assertThat(request(gang).outcome()).isEqualTo(CheckpointRequest.Outcome.TIMED_OUT);
  }

  /** Fails when a machine that ends next week loses its jobs today. */
  @Test
  void distantDeadlineMovesNoMemberYet() {
    Instant deadline = START.plus(Duration.ofDays(7));
    Watched gang = Watched.running(saving(2)).node(1, ends(deadline));
    assertThat(gang.judge().lookAgainAt()).isEqualTo(deadline.minus(NoticeEviction.EARLY));
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);

    gang.after(Duration.between(START, deadline.minus(NoticeEviction.EARLY))).judge();
    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
  }

  /** Fails when an eviction that has not begun outlives its notice. */
  @Test
  void aWithdrawnNoticeStopsTheMove() {
    Instant deadline = START.plus(Duration.ofHours(1));
    Watched gang = Watched.running(2).node(1, ends(deadline));
    gang.judge();
    gang.node(1, NodeReports.node("n1")).after(Duration.ofMinutes(50));
    assertThat(gang.judge().changed()).isFalse();
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
  }

  /** Fails when a wrong clock removes the checkpoint time of a machine that still runs. */
  @Test
  void deadlineInThePastLeavesTheDefaultGracePeriod() {
    Watched gang = Watched.running(saving(2)).node(1, ends(START.minusSeconds(3600)));
    gang.judge();
    assertThat(gang.attempt().checkpointRequest()).isNull();
    assertThat(order(gang).deadline()).isEqualTo(START.plus(GRACE));
  }

  /** Fails when the rules of preemption hold a job on a machine that ends. */
  @Test
  void nonPreemptibleJobLeavesToo() {
    Watched firm = Watched.running(Specs.job("firm").priority(PriorityClass.HIGH).workers(2));
    firm.node(1, ends(START.plusSeconds(120))).judge();
    assertThat(firm.state()).isEqualTo(AttemptState.STOPPING);
  }

  @ParameterizedTest
  @EnumSource(names = {"FREEZE", "WITHDRAWN"})
  void noticeWithoutATerminationMovesNoMember(NodeNotice.Kind kind) {
    Watched gang = Watched.running(2);
    gang.node(1, NodeReports.node("n1").notice(kind, START.plusSeconds(10))).judge();
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
  }

  /** Fails when the end of a departing member ends the gang. */
  @Test
  void leavingMemberOnATerminatingMachineMovesNoOther() {
    Watched gang = Watched.running(Specs.job("train").workers(3).minWorkers(1)).leaves(1);
    gang.node(1, ends(START.plusSeconds(120))).judge();
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
  }

  /** Fails when a member that is not needed yet joins on a machine that ends. */
  @Test
  void memberJoiningOnATerminatingMachineIsOrderedToLeave() {
    Watched gang = Watched.running(Specs.job("train").workers(3).minWorkers(1)).joins(1);
    gang.node(1, ends(START.plusSeconds(120))).judge();
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
    assertThat(gang.member("worker-1").leaves()).isTrue();
  }

  @Test
  void plannedAttemptIsReplannedBeforeItsFirstCreate() {
    Watched gang = Watched.planned(2).node(1, ends(START.plus(Duration.ofHours(5))));
    gang.judge();
    assertThat(order(gang).cause()).isEqualTo(StopCause.DRAIN);
  }

  /** Fails when a late stop has the job's own grace period, which outlasts the machine. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5, 6, 20, 34, 35, 600})
  void gracePeriodOfAStopEndsBeforeTheDeadline(int left) {
    Duration grace = NoticeEviction.grace(GRACE, START.plusSeconds(left), START);
    Duration expected =
        left == 0
            ? GRACE
            : Duration.ofSeconds(
                Math.min(GRACE.toSeconds(), Math.max(1, left - NoticeEviction.MARGIN.toSeconds())));
    assertThat(grace).isEqualTo(expected);
    assertThat(Optional.of(NoticeEviction.grace(GRACE, null, START))).contains(GRACE);
  }
}
