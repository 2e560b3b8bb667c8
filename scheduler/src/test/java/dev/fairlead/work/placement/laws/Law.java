package dev.fairlead.work.placement.laws;

import dev.fairlead.work.placement.RandomScene;
import dev.fairlead.work.world.World;
import java.util.Optional;
import java.util.Random;
import java.util.function.LongFunction;

/**
 * A property of every world.
 *
 * @param name name printed by {@code make laws}
 * @param worlds the world of a seed
 */
record Law(String name, Check check, LongFunction<World> worlds) {
  private static final int MOST_JOBS = 20;

  /** For worlds of every kind. */
  Law(String name, Check check) {
    this(name, check, seed -> RandomScene.world(seed, MOST_JOBS));
  }

  /** Judges one world. */
  interface Check {
    /**
     * Violations, empty if the law holds.
     *
     * @param random source of all random values of the check, equal for equal seeds
     */
    Optional<String> broken(World world, Random random);
  }

  /** Violations in a world. A plan that throws is a violation, too. */
  Optional<String> broken(World world, long seed) {
    try {
      return check.broken(world, new Random(seed));
    } catch (RuntimeException | AssertionError e) {
      return Optional.of("threw " + e + " at " + e.getStackTrace()[0]);
    }
  }
}
