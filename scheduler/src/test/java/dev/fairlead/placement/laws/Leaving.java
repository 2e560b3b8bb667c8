package dev.fairlead.placement.laws;

import dev.fairlead.job.Attempt;
import dev.fairlead.job.AttemptState;
import dev.fairlead.placement.Decision;
import dev.fairlead.world.PendingJob;
import dev.fairlead.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Attempts that were told to end. */
final class Leaving {
  private Leaving() {}

  static List<World.LiveAttempt> of(World world) {
    return world.live().stream().filter(l -> l.attempt().state() == AttemptState.STOPPING).toList();
  }

  /** The world once those who were told and are meant have left. */
  static World gone(World world, Predicate<World.LiveAttempt> meant) {
    World left = world;
    for (World.LiveAttempt each : of(world)) {
      if (meant.test(each)) {
        left = Ended.of(left, each);
      }
    }
    return left;
  }

  /** The same, and they wait again. */
  static World back(World world) {
    List<PendingJob> pending = new ArrayList<>(world.pending());
    for (World.LiveAttempt each : of(world)) {
      boolean waits = pending.stream().anyMatch(p -> p.job().id().equals(each.job().id()));
      if (!waits) {
        PendingJob.Offer offer = new PendingJob.Offer(each.attempt().element(), 1, null);
        pending.add(new PendingJob(each.job(), List.of(offer), List.of(), null));
      }
    }
    return Changed.pending(gone(world, l -> true), pending);
  }

  static boolean by(Attempt attempt, Instant time) {
    return attempt.stop() != null && !attempt.stop().deadline().isAfter(time);
  }

  static List<Decision.Preempt> preempts(Planned planned) {
    return planned.plan().decisions().stream()
        .filter(Decision.Preempt.class::isInstance)
        .map(Decision.Preempt.class::cast)
        .toList();
  }
}
