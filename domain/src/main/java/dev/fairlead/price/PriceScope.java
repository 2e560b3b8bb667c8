package dev.fairlead.price;

import dev.fairlead.identity.ClusterId;
import dev.fairlead.resources.CapacityType;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * What a price is for; null is any.
 *
 * @param pool name of a pool; its prices are for a later pool of that name as well
 * @param model GPU model
 */
public record PriceScope(
    @Nullable ClusterId cluster,
    @Nullable String pool,
    @Nullable String model,
    @Nullable CapacityType capacityType) {
  /**
   * The more specific first: one that names a pool before one that does not, of these one that
   * names a cluster, then a model, then a capacity type.
   */
  static final Comparator<PriceScope> SPECIFIC_FIRST =
      Comparator.comparing((PriceScope scope) -> scope.pool == null)
          .thenComparing(scope -> scope.cluster == null)
          .thenComparing(scope -> scope.model == null)
          .thenComparing(scope -> scope.capacityType == null);

  /**
   * Whether it is for this capacity.
   *
   * @param itsPool null for nodes of no pool
   */
  public boolean covers(
      ClusterId itsCluster, @Nullable String itsPool, String itsModel, CapacityType itsType) {
    return (cluster == null || cluster.equals(itsCluster))
        && (pool == null || pool.equals(itsPool))
        && (model == null || model.equals(itsModel))
        && (capacityType == null || capacityType == itsType);
  }
}
