package dev.fairlead.verify.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.figures.Figure;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.simulation.Simulation.Result;
import dev.fairlead.verify.simulation.Simulation.Trouble;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** State that a process has not stored affects no decision. */
class RestartTest {
  private static final int SEEDS = 25;

  @BeforeAll
  static void quiet() {
    Program.quiet();
  }

  /**
   * Each seed runs undisturbed, and with a process that ends after each commit that appended an
   * event, before the commit is answered, and in the middle of a pass. Another process begins
   * immediately and must wait for the leases.
   *
   * <p>Fails when an answered request is not stored with its key ({@link Guard#KEY}): the first
   * seed does, as {@link #stateHeldOnlyInMemoryIsLostByARestart} shows.
   */
  @Tag(Figure.TAG)
  @Test
  void aRestartAfterEveryEventChangesNoOutcome() {
    int seeds = Figure.times(SEEDS, 10_000);
    long jobs = 0;
    long restarts = 0;
    for (long seed = 1; seed <= seeds; seed++) {
      String replay = "make sim RESTARTS=" + seed;
      Result calm = run(seed, Trouble.NONE, Set.of());
      Result restarted = run(seed, Trouble.RESTARTS, Set.of());
      assertThat(calm.failure()).as(replay).isNull();
      assertThat(restarted.failure()).as(replay).isNull();
      assertThat(restarted.outcomes()).as(replay).isEqualTo(calm.outcomes()).isNotEmpty();
      assertThat(restarted.restarts()).as(replay).isEqualTo(restarted.commits());
      assertThat(restarted.restarts()).as(replay).isGreaterThanOrEqualTo(restarted.jobs());
      jobs += restarted.jobs();
      restarts += restarted.restarts();
    }
    Figure.seen(
        "G25",
        "%,d jobs in %,d seeds ended as without the %,d restarts, one after each event"
            .formatted(jobs, seeds, restarts));
  }

  /** The negative control: each process stores idempotency keys only in memory. */
  @Test
  void stateHeldOnlyInMemoryIsLostByARestart() {
    Set<Guard> keys = Set.of(Guard.KEY);
    Result calm = run(1, Trouble.NONE, Set.of());
    assertThat(run(1, Trouble.NONE, keys).outcomes()).isEqualTo(calm.outcomes());

    Result restarted = run(1, Trouble.RESTARTS, keys);
    assertThat(restarted.outcomes()).isNotEqualTo(calm.outcomes());

    Result twice = run(1, Trouble.RESTARTS, Set.of(Guard.KEY, Guard.NAME));
    assertThat(twice.failure())
        .isInstanceOfSatisfying(
            InvariantBroken.class,
            broken -> assertThat(broken.invariant()).isEqualTo(Invariant.ONE_KEY_ONE_JOB));
  }

  private static Result run(long seed, Trouble trouble, Set<Guard> missing) {
    return Simulation.run(seed, trouble, missing, false);
  }
}
