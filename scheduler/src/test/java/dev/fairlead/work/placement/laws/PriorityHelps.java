package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.placement.admission.Admission;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.ordering.History;
import dev.fairlead.work.placement.ordering.PendingJobCache;
import dev.fairlead.work.placement.ordering.PendingJobEntry;
import dev.fairlead.work.placement.ordering.PendingQueue;
import dev.fairlead.work.placement.ordering.PendingQueues;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * A raised priority never moves a job back in the order of its queue, and in a single queue never
 * prevents a start that happened before. Fails when Waiting.ORDER reverses the priority.
 */
final class PriorityHelps implements Law.Check {
  @Override
  public Optional<String> broken(World world, Random random) {
    if (world.pending().isEmpty()) {
      return Optional.empty();
    }
    PendingJob chosen = world.pending().get(random.nextInt(world.pending().size()));
    QuotaNodeId queue = chosen.job().queue();
    World alone =
        Changed.pending(
            world, world.pending().stream().filter(p -> p.job().queue().equals(queue)).toList());
    PendingJob higher = Worlds.priority(chosen, chosen.job().priority() + 1 + random.nextInt(1000));
    World raised = Changed.pending(alone, Changed.replaced(alone.pending(), chosen, higher));
    JobId id = chosen.job().id();
    int before = rank(alone, id);
    int after = rank(raised, id);
    if (after > before) {
      return Optional.of(chosen.job().name() + " went from rank " + before + " to " + after);
    }
    return Planned.of(raised).started(id) < Planned.of(alone).started(id)
        ? Optional.of(chosen.job().name() + " no longer starts with a higher priority")
        : Optional.empty();
  }

  private static int rank(World world, JobId job) {
    PendingQueues queues =
        new PendingQueues(
            world,
            new Admission(world.quotaNodes(), world.quotaUses(), world.asOf()),
            Fleet.of(world.clusters(), world.nodes()),
            new History(
                new QuotaTree(world.quotaNodes(), List.of()),
                world.pastUses(),
                world.live(),
                world.asOf()),
            PendingJobCache.NONE);
    List<JobId> order = new ArrayList<>();
    for (PendingQueue queue : queues.all()) {
      for (PendingJobEntry head = queue.head(); head != null; head = queue.head()) {
        order.add(head.job().id());
        head.finish();
      }
    }
    return order.indexOf(job);
  }
}
