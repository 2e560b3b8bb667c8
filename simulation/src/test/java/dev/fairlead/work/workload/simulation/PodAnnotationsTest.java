package dev.fairlead.work.workload.simulation;

import static dev.fairlead.work.workload.simulation.VirtualCluster.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.workload.LaunchOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PodAnnotationsTest {
  private static final Duration GRACE = Duration.ofSeconds(30);

  private final VirtualCluster sim = VirtualCluster.ofNodes(2);

  @Test
  void aPodIsPendingThenPullsThenRunsForAMinute() {
    LaunchOrder order = sim.launch(job());
    Instant created = sim.now();
    List<MemberState> states = new ArrayList<>(List.of(state(order)));
    sim.advance(Duration.ofMillis(10));
    states.add(state(order));
    sim.advance(Duration.ofMillis(90));
    states.add(state(order));
    sim.advance(Duration.ofMillis(59_999));
    states.add(state(order));
    sim.advance(Duration.ofMillis(1));
    states.add(state(order));
    assertThat(states)
        .containsExactly(
            MemberState.PENDING,
            MemberState.PULLING,
            MemberState.RUNNING,
            MemberState.RUNNING,
            MemberState.SUCCEEDED);
    assertThat(sim.member(order, 0).startedAt()).isEqualTo(created.plusMillis(100));
    assertThat(sim.member(order, 0).endedAt()).isEqualTo(created.plusMillis(60_100));
  }

  @Test
  void startAfterCountsFromBinding() {
    LaunchOrder order = sim.launch(job().annotation("sim.fairlead.dev/start-after", "5s"));
    sim.advance(Duration.ofMillis(4_999));
    assertThat(state(order)).isEqualTo(MemberState.PULLING);
    sim.advance(Duration.ofMillis(1));
    assertThat(state(order)).isEqualTo(MemberState.RUNNING);
  }

  @Test
  void hangingPodEndsOnlyWhenStopped() {
    LaunchOrder order = sim.launch(job().annotation("sim.fairlead.dev/outcome", "hang"));
    sim.advance(Duration.ofDays(30));
    assertThat(state(order)).isEqualTo(MemberState.RUNNING);
    sim.stop(order, GRACE);
    assertThat(state(order)).isEqualTo(MemberState.FAILED);
    assertThat(sim.member(order, 0).exitCode()).isEqualTo(143);
  }

  @Test
  void podMayUseItsGracePeriodAndExitZero() {
    LaunchOrder order =
        sim.launch(
            job()
                .annotation("sim.fairlead.dev/stop-after", "5s")
                .annotation("sim.fairlead.dev/stop-exit-code", "0"));
    sim.advanceSeconds(1);
    sim.stop(order, GRACE);
    sim.advance(Duration.ofMillis(4_999));
    assertThat(state(order)).isEqualTo(MemberState.RUNNING);
    sim.advance(Duration.ofMillis(1));
    assertThat(state(order)).isEqualTo(MemberState.SUCCEEDED);
  }

  @Test
  void aShorterGracePeriodCutsALongerOneShort() {
    LaunchOrder order = sim.launch(job().annotation("sim.fairlead.dev/stop-after", "25s"));
    sim.advanceSeconds(1);
    sim.stop(order, GRACE);
    sim.advanceSeconds(3);
    sim.stop(order, Duration.ofSeconds(2));
    assertThat(sim.member(order, 0).exitCode()).isEqualTo(137);
    assertThat(sim.member(order, 0).endedAt()).isEqualTo(sim.now());
  }

  @Test
  void aRepeatedStopIsNoChange() {
    LaunchOrder order = sim.launch(job().annotation("sim.fairlead.dev/stop-after", "25s"));
    sim.advanceSeconds(1);
    sim.stop(order, GRACE);
    long revision = sim.cluster.workloadsSince(0).revision();
    sim.stop(order, GRACE);
    assertThat(sim.cluster.workloadsSince(revision).workloads()).isEmpty();
  }

  @Test
  void onlyTheNamedMemberOfTheNamedAttemptFails() {
    LaunchOrder first =
        sim.launch(
            job()
                .workers(2)
                .annotation("sim.fairlead.dev/run-for", "3s")
                .annotation("sim.fairlead.dev/outcome", "fail")
                .annotation("sim.fairlead.dev/members", "worker-1")
                .annotation("sim.fairlead.dev/attempts", "1"));
    sim.advanceSeconds(4);
    assertThat(sim.member(first, 0).state()).isEqualTo(MemberState.SUCCEEDED);
    assertThat(sim.member(first, 1).state()).isEqualTo(MemberState.FAILED);
    LaunchOrder second = sim.launchAgain(first);
    sim.advanceSeconds(4);
    assertThat(sim.member(second, 1).state()).isEqualTo(MemberState.SUCCEEDED);
  }

  @Test
  void podDeletedByHandShowsItsDeletionAndRetainsItsResult() {
    LaunchOrder order = sim.launch(job());
    sim.advanceSeconds(1);
    sim.cluster.deletePod(order.attempt().id(), VirtualCluster.key(order, 0));
    sim.advanceSeconds(60);
    assertThat(sim.member(order, 0).deleting()).isTrue();
    assertThat(sim.member(order, 0).exitCode()).isEqualTo(143);
  }

  private MemberState state(LaunchOrder order) {
    return sim.member(order, 0).state();
  }
}
