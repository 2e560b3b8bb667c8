package dev.fairlead.verify.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.figures.Figure;
import dev.fairlead.verify.Program;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The short form; {@code make sim} runs for a minute, {@code make sim-long} for any time. */
class SimulationTest {
  /** Seeds from 1 on in the build. */
  static final int SEEDS = 6;

  private static final long REPLAYED = 1;

  /** A seed has the same result each time, so it runs once. */
  private static final Map<Long, Simulation.Result> WHOLE = new HashMap<>();

  @BeforeAll
  static void quiet() {
    Program.quiet();
  }

  @Tag(Figure.TAG)
  @Test
  void everyInvariantHoldsUnderEveryFault() {
    int seeds = Figure.times(SEEDS, 10_000);
    for (long seed = 1; seed <= seeds; seed++) {
      Simulation.Result result = whole(seed);
      assertThat(result.failure()).as("make sim SEED=" + seed).isNull();
      assertThat(result.jobs()).isPositive();
    }
    Figure.seen("G2, G7, G25", "every invariant held in each of " + seeds + " seeds");
  }

  @Test
  void aSeedIsReplayedEventByEvent() {
    List<String> again = Simulation.run(REPLAYED, Set.of(), true).trace();
    assertThat(again).isEqualTo(whole(REPLAYED).trace()).isNotEmpty();
  }

  private static Simulation.Result whole(long seed) {
    return WHOLE.computeIfAbsent(seed, s -> Simulation.run(s, Set.of(), s == REPLAYED));
  }
}
