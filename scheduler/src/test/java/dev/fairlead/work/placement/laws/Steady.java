package dev.fairlead.work.placement.laws;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.placement.After;
import dev.fairlead.work.world.World;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * After a complete sweep over all jobs, the next five plans of an unchanged world are empty. With
 * the smallest work budget, every job gets its turn within as many cycles as there are elements.
 */
final class Steady implements Law.Check {
  private static final int ROUNDS = 5;

  @Override
  public Optional<String> broken(World world, Random random) {
    long budget = 1 + random.nextInt(200);
    World now = world;
    List<JobId> first = List.of();
    SortedSet<JobId> open = new TreeSet<>();
    world.pending().forEach(p -> open.add(p.job().id()));
    int elements = world.pending().stream().mapToInt(p -> p.offers().size()).sum();
    for (int cycle = 0; !open.isEmpty() && cycle < elements; cycle++) {
      Planned planned = Planned.of(now, first, budget);
      now = After.of(now, planned.plan());
      first = planned.plan().notReached();
      open.retainAll(first);
    }
    if (!open.isEmpty()) {
      return Optional.of(open.size() + " jobs had no turn in " + elements + " cycles");
    }
    for (int round = 1; round <= ROUNDS; round++) {
      Planned again = Planned.of(now);
      if (!again.places().isEmpty()) {
        return Optional.of(
            "in round "
                + round
                + " after a sweep with budget "
                + budget
                + " started "
                + again.places().getFirst());
      }
      if (round > 1 && !Elastic.grows(again).isEmpty()) {
        return Optional.of("in round " + round + " grows " + Elastic.grows(again).getFirst());
      }
      now = After.of(now, again.plan());
    }
    return Optional.empty();
  }
}
