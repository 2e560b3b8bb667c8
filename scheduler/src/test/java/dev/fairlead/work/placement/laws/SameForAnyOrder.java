package dev.fairlead.work.placement.laws;

import dev.fairlead.work.world.World;
import java.util.Optional;
import java.util.Random;

/** The same rows in another order give the same plan. */
final class SameForAnyOrder implements Law.Check {
  @Override
  public Optional<String> broken(World world, Random random) {
    boolean same =
        Planned.of(Changed.shuffled(world, random)).plan().equals(Planned.of(world).plan());
    return same ? Optional.empty() : Optional.of("another order of the rows gave another plan");
  }
}
