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
 * Nobody takes or delays what is reserved: when all who were told have left, and wait again beside
 * others who came meanwhile with the highest priority, everyone with a reservation starts. Fails
 * when Room ignores the reservations on it.
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
        // a reservation with nodes that are avoided when they become free waits for them, or is
        // released
        .filter(r -> !planned.told(r.job(), Reason.BACKING_OFF))
        .map(r -> "lost its place to somebody: " + r)
        .findFirst();
  }
}
