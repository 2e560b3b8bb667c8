package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.figures.Figure;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The in-memory twins match PostgreSQL: a random script has the same outcome at every step and the
 * same final state on both. Fails when one of the guards is removed, or an amount is released
 * twice.
 */
class RandomScriptsTest {
  private static final int SEEDS = 12;
  private static final int STEPS = 120;
  private static final int LOOK = 10;

  @Tag(Figure.TAG)
  @Test
  void twinsBehaveLikePostgres() {
    Set<String> outcomes = new TreeSet<>();
    int seeds = Figure.times(SEEDS, 1_000_000 / STEPS);
    for (long seed = 1; seed <= seeds; seed++) {
      replay(seed, outcomes);
    }
    Figure.seen("G9", seeds * STEPS + " random operations with one outcome on twin and PostgreSQL");
    // a script that reaches no guard proves nothing
    assertThat(outcomes)
        .contains("done", "GPU_SLOT", "QUOTA", "NAME_TAKEN", "VERSION", "IllegalStateException");
  }

  private static void replay(long seed, Set<String> outcomes) {
    List<Script.Step> steps = new Script(new SplittableRandom(seed)).steps(STEPS);
    Side twin = new Side(MemoryStores.empty(seed));
    Side real = new Side(Embedded.installation());
    for (int i = 0; i < steps.size(); i++) {
      Script.Step step = steps.get(i);
      String expected = twin.run(step);
      outcomes.add(expected);
      assertThat(real.run(step))
          .as("seed %d step %d: %s", seed, i, step.name())
          .isEqualTo(expected);
      if (i % LOOK == LOOK - 1) {
        assertThat(real.state()).as("seed %d after step %d", seed, i).isEqualTo(twin.state());
      }
    }
  }
}
