package dev.fairlead.work.placement.laws;

import dev.fairlead.work.placement.After;
import dev.fairlead.work.world.World;
import java.util.Optional;
import java.util.Random;

/**
 * Evictions terminate: there are at most as many rounds of evictions as jobs, whether or not the
 * evicted jobs have left.
 */
final class NoTurnAbout implements Law.Check {
  @Override
  public Optional<String> broken(World world, Random random) {
    int jobs = world.pending().size() + world.live().size();
    Optional<String> staying = endless(world, jobs, false);
    return staying.isPresent() ? staying : endless(world, jobs, true);
  }

  private static Optional<String> endless(World world, int jobs, boolean leave) {
    World now = world;
    for (int round = 0; round <= jobs; round++) {
      Planned planned = Planned.of(now);
      now = After.of(now, planned.plan());
      if (Leaving.preempts(planned).isEmpty() && (!leave || Leaving.of(now).isEmpty())) {
        return Optional.empty();
      }
      now = leave ? Leaving.back(now) : now;
    }
    return Optional.of(
        "evictions go on after %d rounds while those who were told %s"
            .formatted(jobs, leave ? "leave and wait again" : "stay"));
  }
}
