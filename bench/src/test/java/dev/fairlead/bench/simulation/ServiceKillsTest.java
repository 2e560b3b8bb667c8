package dev.fairlead.bench.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Kills during rollouts of model services. Run by {@code make services}. */
@Tag("long")
class ServiceKillsTest {
  private static final int SEEDS = 40;

  @BeforeAll
  static void quiet() {
    SimulationMain.quiet();
  }

  /**
   * Fails when a kill breaks the floor of a service, leaves weight on a version that is not ready,
   * or leaves a millisecond of usage uncounted.
   */
  @Test
  void killsDuringEachStepBreakNoInvariant() {
    KillsInRollouts kills = new KillsInRollouts();
    Duration simulated = Duration.ZERO;
    for (long seed = 1; seed <= SEEDS; seed++) {
      Simulation.Result result = Simulation.services(seed, kills);
      assertThat(result.failure()).as("seed " + seed).isNull();
      simulated = simulated.plus(result.simulated());
    }
    System.out.printf(
        "figure services: kills in the first step, in the second step and in a promotion or"
            + " rollback: %s. In all %d runs of together %d hours the floor was held, no version"
            + " without a ready replica had a weight, and the books agreed to the millisecond%n",
        kills, SEEDS, simulated.toHours());
    assertThat(kills.complete()).as(kills.toString()).isTrue();
  }
}
