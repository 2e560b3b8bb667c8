package dev.fairlead.care.supply;

import dev.fairlead.fleet.node.pool.PoolId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Stores supplies of pools and requests to their provisioners, which belong to the platform. */
public interface SupplyStore {
  /** Returns the database time. */
  Instant now();

  /** Returns the supplies by pool. */
  List<Supply> supplies();

  Optional<Supply> supply(PoolId pool);

  /**
   * Stores the first version, or the version after the stored one.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION if another is stored
   */
  void put(Supply supply);

  /**
   * Removes the supply with its requests.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless this version is stored
   */
  void delete(Supply supply);

  /**
   * Returns the current offers for pools. Reads requests that were settled within {@link
   * StockOut#READ}.
   */
  List<SupplyOffer> offers();

  /** Returns the requests that are not completely finished, oldest first. */
  List<SupplyRequest> open();

  /** Returns the requests of one pool, newest first. */
  List<SupplyRequest> requests(PoolId pool, int most);

  void insert(SupplyRequest request);

  /**
   * Replaces the previous version.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION if another is stored
   */
  void update(SupplyRequest request);

  /** Removes requests that ended before that time, and returns their number. */
  int forget(Instant endedBefore, int most);
}
