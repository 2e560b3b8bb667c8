package dev.fairlead.work.placement.laws;

import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.After;
import dev.fairlead.work.placement.RandomScene;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * No job takes or delays a reservation: after all victims have left and wait again, together with
 * new jobs of the highest priority, every job with a reservation starts. Fails when Room ignores
 * the reservations on it.
 */
final class PlaceKept implements Law.Check {
  @Override
  public Optional<String> broken(World world, Random random) {
    World told = After.of(world, Planned.of(world).plan());
    List<PendingJob> rivals = new ArrayList<>(Leaving.back(told).pending());
    for (PendingJob rival : RandomScene.world(random.nextLong(), 20).pending()) {
      PendingJob own = Worlds.rival(rival, rivals.size(), told, random);
      rivals.add(Worlds.priority(own, 1_000_000));
    }
    World contested = Changed.pending(Leaving.back(told), rivals);
    Planned planned = Planned.of(contested);
    return told.reservations().stream()
        .filter(r -> r.kind() == Reservation.Kind.PREEMPTION)
        .filter(r -> !planned.started(r.job(), r.element()))
        // a reservation waits for nodes that are avoided when they become free, or is released
        .filter(r -> !planned.told(r.job(), Reason.BACKING_OFF))
        .map(r -> "lost its place to somebody: " + r)
        .findFirst();
  }
}
