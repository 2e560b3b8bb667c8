package dev.fairlead.verify.simulation.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fairlead.verify.Program;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The short form of {@code make fleet-replay}: a small fleet that breaks as often as a large one.
 */
class FleetReplayTest {
  private static final int NODES = 32;
  private static final FleetPlan PLAN =
      FleetPlan.of(
              NODES * FleetPlan.GPUS_PER_NODE, Duration.ofHours(24), Duration.ofMinutes(15), 2, 1)
          .withBreaksLike(FailureKind.GPUS);

  /** The totals of the plan, the reference of each test. */
  private static FleetRecord usual;

  @BeforeAll
  static void run() {
    Program.quiet();
    usual = FleetReplay.run(PLAN);
  }

  /**
   * Fails when a fault is not detected, stops other jobs, or the gang does not restart
   * automatically.
   */
  @Test
  void gangOnAFailingFleetRestartsAfterEveryFault() {
    assertThat(usual.stops()).isGreaterThan(3);
    assertThat(usual.byHandTimes()).isZero();
    assertThat(usual.ratio()).isCloseTo(usual.expected(), within(0.05)).isGreaterThan(0.85);
    assertThat(usual.stoppedOutside()).isZero();
    assertThat(usual.wronglyQuarantined()).isZero();
    usual
        .verdicts()
        .forEach((kind, said) -> {
          if (kind.sign == FailureKind.Sign.XID) {
            assertThat(said.keySet()).as(kind.name()).isSubsetOf(Set.of("GPU_FAULT"));
          }
        });
  }

  /**
   * Fails when spares and fault reservations save no time: a gang that lost a GPU restarts
   * immediately, and a gang whose machine failed without an incident waits no longer than on a
   * fleet without spares.
   */
  @Test
  void gangRestartsLaterWithoutSparesAndFaultReservations() {
    FleetRecord without = FleetReplay.run(PLAN.withKeepsSpares(false).withKeepsPlaces(false));

    assertThat(usual.percentile(FleetRecord.Step.PLACED, 25)).isZero();
    assertThat(without.percentile(FleetRecord.Step.PLACED, 25)).isPositive();
    assertThat(usual.percentile(FleetRecord.Step.PLACED, 95))
        .isLessThanOrEqualTo(without.percentile(FleetRecord.Step.PLACED, 95));
    assertThat(usual.meanMillis(FleetRecord.Step.PLACED))
        .isLessThan(without.meanMillis(FleetRecord.Step.PLACED));
  }

  /**
   * Fails when a gang with repair enabled is not repaired, so that each fault ends its attempt, and
   * when a new member runs concurrently with its predecessor.
   */
  @Test
  void repairedGangContinuesWhileSparesRemain() {
    FleetRecord seen = FleetReplay.run(repaired(4));

    assertThat(seen.replaced()).isGreaterThan(2);
    assertThat(seen.fallbacks()).isEmpty();
    assertThat(seen.meanMillis(FleetRecord.Step.MACHINE))
        .isLessThan(usual.meanMillis(FleetRecord.Step.MACHINE) / 2);
    assertThat(seen.ratio()).isGreaterThan(usual.ratio());
    assertThat(seen.stoppedOutside()).isZero();
    assertThat(FleetReplay.run(repaired(2)).fallbacks())
        .as("while nodes are being repaired")
        .containsOnlyKeys("no other member in time");
  }

  private static FleetPlan repaired(int spares) {
    return FleetPlan.of(PLAN.gpus(), PLAN.lasts(), PLAN.checkpoint(), spares, PLAN.seed())
        .withBreaksLike(PLAN.breaksLike())
        .withReplaces(20)
        .withResume(Duration.ofSeconds(8))
        .withWarm(true);
  }

  /** Fails when a sick GPU takes the whole node out of service, or a lost machine only its GPU. */
  @Test
  void faultyGpuIsolatesOneGpuAndNotItsNode() {
    assertThat(usual.lost()).isPositive().isLessThan(usual.lostByNode() * 0.9);
  }

  /**
   * Fails when simultaneous reports of many nodes take more than a quarter of them out of service.
   */
  @Test
  void circuitBreakerHoldsDuringAFaultStorm() {
    FleetRecord seen = FleetReplay.run(PLAN.withStorm(40));

    assertThat(seen.mostQuarantined()).isEqualTo(NODES / 4);
  }
}
