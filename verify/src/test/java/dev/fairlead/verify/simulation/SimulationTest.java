package dev.fairlead.verify.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.figures.Figure;
import dev.fairlead.verify.Program;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The short form; {@code make sim} runs for a minute, {@code make sim-long} for any time. */
class SimulationTest {
  private static final int SEEDS = 6;

  @BeforeAll
  static void quiet() {
    Program.quiet();
  }

  @Tag(Figure.TAG)
  @Test
  void everyInvariantHoldsUnderEveryFault() {
    int seeds = Figure.times(SEEDS, 10_000);
    for (long seed = 1; seed <= seeds; seed++) {
      Simulation.Result result = Simulation.run(seed);
      assertThat(result.failure()).as("make sim SEED=" + seed).isNull();
      assertThat(result.jobs()).isPositive();
    }
    Figure.seen("G2, G7, G25", "every invariant held in each of " + seeds + " seeds");
  }

  @Test
  void aSeedIsReplayedEventByEvent() {
    List<String> once = Simulation.run(7, java.util.Set.of(), true).trace();
    List<String> again = Simulation.run(7, java.util.Set.of(), true).trace();
    assertThat(again).isEqualTo(once).isNotEmpty();
  }
}
