package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Jobs that wait for other GPU models do not affect a job: it starts with them exactly if it starts
 * alone. Queues with a blocking head are excluded.
 */
final class ModelsApart implements Law.Check {
  @Override
  public Optional<String> broken(World world, Random random) {
    for (PendingJob pending : world.pending()) {
      SortedSet<String> own = models(pending.job().spec());
      if (!own.isEmpty() && !strict(world, pending.job().queue())) {
        List<PendingJob> apart =
            world.pending().stream()
                .filter(p -> p == pending || apart(own, models(p.job().spec())))
                .toList();
        long beside = Planned.of(Changed.pending(world, apart)).started(pending.job().id());
        World alone = Changed.pending(world, List.of(pending));
        if (beside != Planned.of(alone).started(pending.job().id())) {
          return Optional.of(
              pending.job().name() + " is kept from starting by jobs for other models");
        }
      }
    }
    return Optional.empty();
  }

  private static boolean apart(SortedSet<String> own, SortedSet<String> others) {
    return !others.isEmpty() && others.stream().noneMatch(own::contains);
  }

  /** All models that the job could run on, empty if unknown or if a role needs no GPU. */
  private static SortedSet<String> models(JobSpec spec) {
    SortedSet<String> models = new TreeSet<>();
    for (RoleSpec role : spec.roles()) {
      if (role.gpu().models().isEmpty()) {
        return new TreeSet<>();
      }
      models.addAll(role.gpu().models());
    }
    return models;
  }

  private static boolean strict(World world, QuotaNodeId queue) {
    return world.quotaNodes().stream()
        .filter(n -> n.id().equals(queue) && n.queue() != null)
        .anyMatch(n -> n.queue().order() == QueueSettings.Order.STRICT_FIFO);
  }
}
