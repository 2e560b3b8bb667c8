package dev.fairlead.care.supply;

import dev.fairlead.fleet.node.PoolId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Supplies of pools, and what was asked of their suppliers; of the platform. */
public interface SupplyStore {
  /** Time of the database. */
  Instant now();

  /** By pool. */
  List<Supply> supplies();

  Optional<Supply> supply(PoolId pool);

  /**
   * Stores the first version, or the one that follows what is stored.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION when another is stored
   */
  void put(Supply supply);

  /**
   * Removes it with its requests.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless it is stored in this version
   */
  void delete(Supply supply);

  /** What pools could get now; what was settled within {@link StockOut#READ} is read. */
  List<SupplyOffer> offers();

  /** Requests of which something is left, the oldest first. */
  List<SupplyRequest> open();

  /** Of one pool, the newest first. */
  List<SupplyRequest> requests(PoolId pool, int most);

  void insert(SupplyRequest request);

  /**
   * Replaces the version before.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION when another is stored
   */
  void update(SupplyRequest request);

  /** Removes requests that ended before that time; how many. */
  int forget(Instant endedBefore, int most);
}
