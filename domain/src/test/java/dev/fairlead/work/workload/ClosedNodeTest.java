package dev.fairlead.work.workload;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.care.reservation.AdvanceReservationId;
import dev.fairlead.care.reservation.AdvanceReservationOwner;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.fleet.operation.ClosedBy;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Attempts on nodes that drain or that a pool or an advance reservation closes. */
class ClosedNodeTest {
  @Test
  void drainedNodeStopsPreemptibleJobsWithTheirGracePeriod() {
    Watched gang = Watched.running(2).drained(1);
    gang.judge();

    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(gang.attempt().stop().cause()).isEqualTo(StopCause.DRAIN);
    assertThat(gang.attempt().stop().deadline()).isEqualTo(Watched.START.plusSeconds(30));

    gang.exits(0, 143, "Error").exits(1, 143, "Error").judge();
    assertThat(gang.state()).isEqualTo(AttemptState.PREEMPTED);
    assertThat(gang.attempt().failure().message()).contains("node n1 is being drained");
  }

  @Test
  void drainWaitsForNonPreemptibleJobs() {
    Specs firm = Specs.job("firm").priority(PriorityClass.HIGH);
    Watched running = Watched.running(firm).drained(0);
    running.judge();
    assertThat(running.state()).isEqualTo(AttemptState.RUNNING);

    Watched planned = Watched.planned(firm).drained(0);
    planned.judge();
    assertThat(planned.state()).as("nothing of it is lost yet").isEqualTo(AttemptState.STOPPING);
  }

  @Test
  void drainInterruptsNothingBeforeItsMinimumRuntime() {
    Watched one = Watched.running(Specs.job("least").minRuntime(Duration.ofMinutes(5))).drained(0);
    assertThat(one.judge().lookAgainAt()).isEqualTo(Watched.START.plusSeconds(300));
    assertThat(one.state()).isEqualTo(AttemptState.RUNNING);

    one.after(Duration.ofMinutes(5)).judge();
    assertThat(one.state()).isEqualTo(AttemptState.STOPPING);
  }

  /** Fails when a pool stops foreign work, or work that names only other pools. */
  @ParameterizedTest
  @CsvSource({
    "theirs, , RUNNING",
    "shared, day, RUNNING",
    "shared, night, STOPPING",
    "shared, , STOPPING"
  })
  void closingPoolStopsJobsItMayHaveAdmitted(
      String owner, @Nullable String named, AttemptState then) {
    TenantId other = owner.equals("theirs") ? new TenantId(new UUID(9, 9)) : null;
    List<String> pools = named == null ? List.of() : List.of(named);
    PlacementSpec there = PlacementSpec.ANYWHERE.with().pools(pools).build();
    Watched one =
        Watched.running(Specs.job("one").placement(there))
            .closed(
                0,
                new ClosedBy.Windows(new NodePool("night", other, Spares.NONE, PoolWindows.NONE)));
    one.judge();

    assertThat(one.state()).isEqualTo(then);
  }

  /**
   * Fails when an advance reservation that evicts stops jobs of its project, or jobs that must not
   * be evicted.
   */
  @ParameterizedTest
  @CsvSource({"true, NORMAL, RUNNING", "false, NORMAL, STOPPING", "false, HIGH, RUNNING"})
  void startOfAnAdvanceReservationStopsPreemptibleJobsOfOthers(
      boolean own, PriorityClass priority, AttemptState then) {
    Watched one = Watched.running(Specs.job("one").priority(priority));
    ProjectId project = own ? one.job().project() : new ProjectId(new UUID(9, 9));
    Instant start = Instant.parse("2030-01-31T14:00:00Z");
    AdvanceReservation advanceReservation =
        new AdvanceReservation(
            new AdvanceReservationId(new UUID(9, 8)),
            "demo",
            new AdvanceReservationOwner(one.job().tenant(), project, "vision"),
            start,
            start.plusSeconds(60),
            LeftoverPolicy.EVICT,
            "",
            List.of(),
            "root",
            start);
    one.closed(0, new ClosedBy.Begun(advanceReservation)).judge();

    assertThat(one.state()).isEqualTo(then);
    if (then == AttemptState.STOPPING) {
      assertThat(one.attempt().failure().message())
          .satisfies(reason("closed-node.node-booked", "2030-01-31T14:00:00Z"));
    }
  }

  @Test
  void drainDoesNotHideAFailure() {
    Watched gang = Watched.running(2).exits(0, 3, "Error").drained(1);
    gang.judge();
    gang.after(WorkloadTimeouts.DEFAULT.settle()).judge();

    assertThat(gang.attempt().stop().cause()).isEqualTo(StopCause.MEMBER_FAILED);
  }
}
