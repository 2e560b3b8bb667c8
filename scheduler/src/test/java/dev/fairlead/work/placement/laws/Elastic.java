package dev.fairlead.work.placement.laws;

import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.RandomScene;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.World;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Worlds with running gangs that can grow, and jobs of which some have ended. */
final class Elastic {
  private static final int MOST_JOBS = 30;

  private Elastic() {}

  static World world(long seed) {
    Random random = new Random(seed);
    World world = RandomScene.world(seed, MOST_JOBS);
    for (World.LiveAttempt live : List.copyOf(world.live())) {
      if (random.nextInt(3) == 0 && !live.job().spec().elastic()) {
        world = Ended.of(world, live);
      }
    }
    return world;
  }

  static List<Decision.Grow> grows(Planned planned) {
    return planned.plan().decisions().stream()
        .filter(Decision.Grow.class::isInstance)
        .map(Decision.Grow.class::cast)
        .toList();
  }

  /** The plan without growth. */
  static Plan withoutGrowth(Plan plan) {
    return new Plan(
        plan.asOf(),
        plan.decisions().stream().filter(d -> !(d instanceof Decision.Grow)).toList(),
        plan.explanations(),
        plan.notReached(),
        List.of(),
        plan.contradictions(),
        Collections.emptySortedMap(),
        Collections.emptySortedMap());
  }
}
