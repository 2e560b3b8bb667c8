package dev.fairlead.work.placement.laws;

import dev.fairlead.work.explanation.NearMiss;
import dev.fairlead.work.placement.After;
import dev.fairlead.work.placement.Following;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * After the change named by a near miss, the job starts next. Fails when the engine's Trial tries a
 * change without quota.
 */
final class TrueNearMisses implements Law.Check {
  @Override
  public Optional<String> broken(World world, Random random) {
    World after = After.of(world, Planned.of(world).plan());
    Planned planned = Planned.of(after);
    for (PendingJob pending : after.pending()) {
      for (NearMiss miss : nearMisses(planned, pending)) {
        Planned followed = Planned.of(Following.of(after, pending, miss));
        if (followed.started(pending.job().id()) == 0) {
          return Optional.of(pending.job().name() + " does not start with " + miss);
        }
      }
    }
    return Optional.empty();
  }

  private static List<NearMiss> nearMisses(Planned planned, PendingJob pending) {
    return planned.holds().stream()
        .filter(h -> h.job().equals(pending.job().id()))
        .map(Decision.Hold::classKey)
        .flatMap(key -> planned.plan().explanations().get(key).nearMisses().stream())
        .toList();
  }
}
