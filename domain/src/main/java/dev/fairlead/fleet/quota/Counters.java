package dev.fairlead.fleet.quota;

import java.util.Collection;
import java.util.List;
import java.util.UUID;

/**
 * Counters of resources that live attempts hold, in addition to the rows that they count. Decisions
 * use the counters. They change in the transaction of the allocation, so they match unless a write
 * bypassed the job store.
 */
public interface Counters {
  /** Compares all counters in one consistent view. The result is empty if they match. */
  List<Drift> compare();

  /**
   * Recomputes mismatched counters under the writers' locks. Counters that match again are left
   * unchanged. Returns the written counters.
   */
  List<Drift> repair(Collection<Drift> found);

  /** The kind of a counter. */
  enum Kind {
    QUOTA,
    NODE,
    GPU,
    LICENCE
  }

  /**
   * A counter that differs from its rows.
   *
   * @param subject id of the quota node, of the node, or of the attempt that holds a licence
   * @param counter name of the counter, for example {@code gpu} or {@code gpu 3}
   * @param counted value of the counter
   * @param held sum of the rows
   */
  record Drift(Kind kind, UUID subject, String counter, long counted, long held) {}
}
