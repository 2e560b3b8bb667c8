package dev.fairlead.verify.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.verify.Program;
import dev.fairlead.verify.simulation.serving.KillsInRollouts;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Kills during rollouts of model services. Run by {@code make services}. */
@Tag("long")
class ServiceKillsTest {
  private static final int LEAST_SEEDS = 4;
  private static final int MOST_SEEDS = 20;

  @BeforeAll
  static void quiet() {
    Program.quiet();
  }

  /**
   * Fails when a kill breaks the floor of a service, leaves weight on a version that is not ready,
   * or leaves a millisecond of usage uncounted.
   */
  @Test
  void killsDuringRolloutsBreakNoInvariant() {
    KillsInRollouts kills = new KillsInRollouts();
    Duration simulated = Duration.ZERO;
    int seeds = 0;
    while (seeds < LEAST_SEEDS || seeds < MOST_SEEDS && !kills.complete()) {
      Simulation.Result result = Simulation.services(++seeds, kills);
      assertThat(result.failure()).as("seed " + seeds).isNull();
      simulated = simulated.plus(result.simulated());
    }
    System.out.printf(
        "figure services: kills in the first step, in the second step and in a promotion or"
            + " rollback: %s. In all %d runs of together %d hours the floor was held, no version"
            + " without a ready replica had a weight, and the books agreed to the millisecond%n",
        kills, seeds, simulated.toHours());
    assertThat(kills.complete()).as(kills.toString()).isTrue();
  }
}
