package dev.fairlead.placement.laws;

import dev.fairlead.world.World;
import java.util.Optional;
import java.util.Random;

/**
 * What must hold for every world.
 *
 * @param name as {@code make laws} prints it
 */
record Law(String name, Check check) {
  /** Judges one world. */
  interface Check {
    /**
     * What is wrong, empty when the law holds.
     *
     * @param random equal for equal seeds; whatever else the check draws comes from it
     */
    Optional<String> broken(World world, Random random);
  }

  /** What is wrong with a world; a plan that throws is wrong as well. */
  Optional<String> broken(World world, long seed) {
    try {
      return check.broken(world, new Random(seed));
    } catch (RuntimeException | AssertionError e) {
      return Optional.of("threw " + e + " at " + e.getStackTrace()[0]);
    }
  }
}
