package dev.fairlead.money.price;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * The GPUs or the storage that a price applies to. Null means any.
 *
 * @param pool name of a pool. Also applies to a later pool with the same name
 * @param model GPU model
 * @param storage null for GPUs. A price of storage names no pool, model and capacity type
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
   * @param storageClass storage class, null for any
   */
  public record Storage(@Nullable String storageClass) {}

  /** Scope of GPUs. */
  public PriceScope(
      @Nullable ClusterId cluster,
      @Nullable String pool,
      @Nullable String model,
      @Nullable CapacityType capacityType) {
    this(cluster, pool, model, capacityType, null);
  }

  /** Scope of the storage of all clusters, or of one cluster. */
  public static PriceScope of(@Nullable ClusterId cluster, Storage storage) {
    return new PriceScope(cluster, null, null, null, storage);
  }

  /**
   * Most specific first: a scope with a pool before one without, then with a cluster, a model, a
   * capacity type, and a storage class.
   */
  static final Comparator<PriceScope> SPECIFIC_FIRST =
      Comparator.comparing((PriceScope scope) -> scope.pool == null)
          .thenComparing(scope -> scope.cluster == null)
          .thenComparing(scope -> scope.model == null)
          .thenComparing(scope -> scope.capacityType == null)
          .thenComparing(scope -> scope.storage == null || scope.storage.storageClass == null);

  /**
   * Returns whether the scope includes GPUs of this capacity.
   *
   * @param itsPool pool of the GPUs, null for nodes without a pool
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
   * Returns whether the scope includes storage of this class.
   *
   * @param itsClass storage class, null for the unknown default of the cluster
   */
  boolean covers(ClusterId itsCluster, @Nullable String itsClass) {
    return storage != null
        && (cluster == null || cluster.equals(itsCluster))
        && (storage.storageClass == null || storage.storageClass.equals(itsClass));
  }
}
