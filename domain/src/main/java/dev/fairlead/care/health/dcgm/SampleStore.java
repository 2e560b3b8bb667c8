package dev.fairlead.care.health.dcgm;

import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** Stores the last values of series. Devices belong to the fleet, not to a tenant. */
public interface SampleStore {
  /** Returns the time of the database. */
  Instant now();

  /** Returns all stored values of the cluster, in no order. */
  List<SampleRecord> of(ClusterId cluster);

  /** Inserts or replaces the values of the cluster. */
  void write(ClusterId cluster, Collection<SampleRecord> samples);

  /** Deletes all values of these GPUs of the cluster. */
  void forget(ClusterId cluster, Collection<String> gpus);

  /** Returns the GPUs in this list for which another cluster has written values since the time. */
  Set<String> elsewhere(ClusterId cluster, Collection<String> gpus, Instant since);
}
