package dev.fairlead.work.placement.laws;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.placement.After;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Gangs do not grow into capacity that a job waits for: a job that starts after the end of a
 * running attempt also starts if gangs have grown before. Fails when Growth ignores Demand.
 */
final class PendingFirst implements Law.Check {
  private static final int ENDS = 4;

  @Override
  public Optional<String> broken(World world, Random random) {
    Planned planned = Planned.of(world);
    if (Elastic.grows(planned).isEmpty()) {
      return Optional.empty();
    }
    World grown = After.of(world, planned.plan());
    World small = After.of(world, Elastic.withoutGrowth(planned.plan()));
    List<World.LiveAttempt> ends = new ArrayList<>(small.live());
    Collections.shuffle(ends, random);
    for (World.LiveAttempt end : ends.subList(0, Math.min(ENDS, ends.size()))) {
      List<JobId> would = starts(Ended.of(small, end));
      would.removeAll(starts(Ended.of(grown, same(grown, end))));
      if (!would.isEmpty()) {
        return Optional.of(
            "once %s has ended, %s start only where nobody grew: %s"
                .formatted(end.job().name(), would, Elastic.grows(planned)));
      }
    }
    return Optional.empty();
  }

  private static World.LiveAttempt same(World world, World.LiveAttempt as) {
    return world.live().stream()
        .filter(l -> l.attempt().id().equals(as.attempt().id()))
        .findFirst()
        .orElseThrow();
  }

  private static List<JobId> starts(World world) {
    List<JobId> starts = new ArrayList<>();
    Planned.of(world).places().stream().map(Decision.Place::job).forEach(starts::add);
    return starts;
  }
}
