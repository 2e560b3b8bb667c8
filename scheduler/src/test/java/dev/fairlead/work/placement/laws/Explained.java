package dev.fairlead.work.placement.laws;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.World;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/** Every pending job starts in full or has exactly one explanation of its wait. */
final class Explained implements Law.Check {
  @Override
  public Optional<String> broken(World world, Random random) {
    Planned planned = Planned.of(world);
    Map<JobId, Integer> open = new TreeMap<>();
    world.pending().forEach(p -> open.put(p.job().id(), p.offers().size()));
    planned.places().forEach(p -> open.merge(p.job(), -1, Integer::sum));
    for (Decision.Hold hold : planned.holds()) {
      if (!planned.plan().explanations().containsKey(hold.classKey())) {
        return Optional.of("no explanation for " + hold);
      }
      if (open.getOrDefault(hold.job(), 0) <= 0) {
        return Optional.of("explained though nothing of it waits: " + hold);
      }
      open.put(hold.job(), 0);
    }
    return open.entrySet().stream()
        .filter(e -> e.getValue() != 0)
        .map(e -> e.getKey().text() + " neither starts nor is explained")
        .findFirst();
  }
}
