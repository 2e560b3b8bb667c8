package dev.fairlead.placement.routing;

import dev.fairlead.placement.ledger.ClusterRoom;
import dev.fairlead.resources.Flavor;
import java.util.List;

/**
 * A part of a cluster - one pool, one capacity type - and the GPU model that each role gets there;
 * all members of a role are of one flavor.
 *
 * @param models by role, {@link Flavor#CPU} for one that asks no GPU
 */
public record Route(ClusterRoom cluster, List<String> models) {
  public Route {
    models = List.copyOf(models);
  }

  public Flavor flavor(int role) {
    return new Flavor(models.get(role), cluster.cluster().capacity());
  }
}
