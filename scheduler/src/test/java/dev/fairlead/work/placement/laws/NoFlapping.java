package dev.fairlead.work.placement.laws;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.placement.After;
import dev.fairlead.work.placement.RandomScene;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/**
 * A gang that was ordered to shrink does not grow for five minutes, regardless of starts and ends,
 * and no gang is ordered to shrink below its job's minimum. Fails when GrowthPolicy permits
 * immediate growth.
 */
final class NoFlapping implements Law.Check {
  private static final int ROUNDS = 12;
  private static final Duration STEP = Duration.ofMinutes(1);
  private static final Duration REST = Duration.ofMinutes(5);

  @Override
  public Optional<String> broken(World world, Random random) {
    Map<AttemptId, Instant> shrunk = new TreeMap<>();
    World now = world;
    for (int round = 0; round < ROUNDS; round++) {
      Planned planned = Planned.of(now);
      for (Decision.Grow grow : Elastic.grows(planned)) {
        Instant told = shrunk.get(grow.attempt());
        if (told != null && now.asOf().isBefore(told.plus(REST))) {
          return Optional.of("was told to shrink at %s and grows: %s".formatted(told, grow));
        }
      }
      Instant at = now.asOf();
      Leaving.preempts(planned).stream()
          .flatMap(preempt -> preempt.victims().stream())
          .filter(victim -> !victim.members().isEmpty())
          .forEach(victim -> shrunk.put(victim.attempt(), at));
      now = After.of(now, planned.plan());
      Optional<String> small = tooSmall(now);
      if (small.isPresent()) {
        return small;
      }
      now = comesAndGoes(Changed.asOf(Leaving.back(now), at.plus(STEP)), round, random);
    }
    return Optional.empty();
  }

  private static Optional<String> tooSmall(World world) {
    return world.live().stream()
        .filter(l -> l.attempt().stop() == null)
        .filter(l ->
            l.attempt().members().stream().filter(m -> !m.leaves()).count()
                < l.job().spec().fewestMembers())
        .map(l -> l.job().name() + " is too small: " + l.attempt().members())
        .findFirst();
  }

  private static World comesAndGoes(World world, int round, Random random) {
    World now = world;
    if (!now.live().isEmpty()) {
      now = Ended.of(now, now.live().get(random.nextInt(now.live().size())));
    }
    List<PendingJob> pending = new ArrayList<>(now.pending());
    for (PendingJob rival : RandomScene.world(random.nextLong(), 3).pending()) {
      pending.add(Worlds.rival(rival, 1000 * (round + 1) + pending.size(), now, random));
    }
    return Changed.pending(now, pending);
  }
}
