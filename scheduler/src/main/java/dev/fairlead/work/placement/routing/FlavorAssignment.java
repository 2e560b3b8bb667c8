package dev.fairlead.work.placement.routing;

import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import java.util.List;

/**
 * A part of a cluster - one pool, one capacity type - and the GPU model for each role. All members
 * of a role have one flavor.
 *
 * @param models by role, {@link Flavor#CPU} for a role without GPUs
 * @param tier position of the tier of the queue's routing policy by which the job uses the part
 */
public record FlavorAssignment(ClusterCapacity cluster, List<String> models, int tier) {
  /** Creates an assignment for a job in a queue without a policy. */
  public FlavorAssignment(ClusterCapacity cluster, List<String> models) {
    this(cluster, models, 0);
  }

  public FlavorAssignment {
    models = List.copyOf(models);
  }

  public Flavor flavor(int role) {
    return new Flavor(models.get(role), cluster.cluster().capacity());
  }
}
