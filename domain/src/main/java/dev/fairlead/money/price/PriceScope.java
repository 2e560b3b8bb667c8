package dev.fairlead.money.price;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * Scope of a price: GPUs, or storage. Null is any.
 *
 * @param pool name of a pool; its prices are for a later pool of that name as well
 * @param model GPU model
 * @param storage null for GPUs; a price of storage names no pool, model and capacity type
 */
public record PriceScope(
    @Nullable ClusterId cluster,
    @Nullable String pool,
    @Nullable String model,
    @Nullable CapacityType capacityType,
    @Nullable Storage storage) {
  /**
   * Storage of volumes.
   *
   * @param storageClass null for any
   */
  public record Storage(@Nullable String storageClass) {}

  /** Of GPUs. */
  public PriceScope(
      @Nullable ClusterId cluster,
      @Nullable String pool,
      @Nullable String model,
      @Nullable CapacityType capacityType) {
    this(cluster, pool, model, capacityType, null);
  }

  /** The storage of all clusters, or of one. */
  public static PriceScope of(@Nullable ClusterId cluster, Storage storage) {
    return new PriceScope(cluster, null, null, null, storage);
  }

  /**
   * Order by specificity: a price that names a pool first, then one that names a cluster, a model,
   * a capacity type, a storage class.
   */
  static final Comparator<PriceScope> SPECIFIC_FIRST =
      Comparator.comparing((PriceScope scope) -> scope.pool == null)
          .thenComparing(scope -> scope.cluster == null)
          .thenComparing(scope -> scope.model == null)
          .thenComparing(scope -> scope.capacityType == null)
          .thenComparing(scope -> scope.storage == null || scope.storage.storageClass == null);

  /**
   * Whether it is for GPUs of this capacity.
   *
   * @param itsPool null for nodes of no pool
   */
  public boolean covers(
      ClusterId itsCluster, @Nullable String itsPool, String itsModel, CapacityType itsType) {
    return storage == null
        && (cluster == null || cluster.equals(itsCluster))
        && (pool == null || pool.equals(itsPool))
        && (model == null || model.equals(itsModel))
        && (capacityType == null || capacityType == itsType);
  }

  /**
   * Whether it is for storage of this class.
   *
   * @param itsClass null for the default of the cluster, whose name is unknown
   */
  boolean covers(ClusterId itsCluster, @Nullable String itsClass) {
    return storage != null
        && (cluster == null || cluster.equals(itsCluster))
        && (storage.storageClass == null || storage.storageClass.equals(itsClass));
  }
}
