package dev.fairlead.cluster;

import dev.fairlead.resources.CapacityType;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A registered cluster, without its credentials.
 *
 * @param pricePerGpuHour price by GPU model in micro-units of the installation's currency
 * @param lastSeenAt database time of the last contact, null before the first
 * @param trouble what went wrong at the last contact, for people; null when all is well
 */
public record Cluster(
    ClusterId id,
    String name,
    ClusterKind kind,
    ClusterState state,
    CapacityType capacity,
    SortedMap<String, Long> pricePerGpuHour,
    Capabilities capabilities,
    Instant createdAt,
    @Nullable Instant lastSeenAt,
    @Nullable String trouble,
    long version) {
  public Cluster {
    pricePerGpuHour = Collections.unmodifiableSortedMap(new TreeMap<>(pricePerGpuHour));
  }

  /** The same in another state. */
  public Cluster in(ClusterState next) {
    return moved(next, lastSeenAt, trouble, capabilities);
  }

  public Cluster moved(
      ClusterState next, @Nullable Instant seenAt, @Nullable String newTrouble, Capabilities now) {
    return new Cluster(
        id,
        name,
        kind,
        next,
        capacity,
        pricePerGpuHour,
        now,
        createdAt,
        seenAt,
        newTrouble,
        version + 1);
  }
}
