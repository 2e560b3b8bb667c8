package dev.fairlead.fleet.cluster;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A registered cluster, without its credentials.
 *
 * @param pricePerGpuHour price by GPU model in micro-units of the installation's currency
 * @param settings what an operator says of it
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
    ClusterSettings settings,
    Capabilities capabilities,
    Instant createdAt,
    @Nullable Instant lastSeenAt,
    @Nullable String trouble,
    long version) {
  /** How the trouble of a cluster begins on which another database acts. */
  public static final String ONLY_REPORTED = "only reported, nothing is changed there: ";

  public Cluster {
    pricePerGpuHour = Collections.unmodifiableSortedMap(new TreeMap<>(pricePerGpuHour));
  }

  /** A cluster of which nothing is said. */
  public Cluster(
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
    this(
        id,
        name,
        kind,
        state,
        capacity,
        pricePerGpuHour,
        ClusterSettings.DEFAULT,
        capabilities,
        createdAt,
        lastSeenAt,
        trouble,
        version);
  }

  /**
   * Whether the cluster knows that another database, or a later state of this one, acts there:
   * nothing is done there, nor asked of anybody who would.
   */
  public boolean onlyReported() {
    return onlyReported(trouble);
  }

  /** Whether these words say so. */
  public static boolean onlyReported(@Nullable String words) {
    return words != null && words.startsWith(ONLY_REPORTED);
  }

  /** The same with what an operator says of it. */
  public Cluster configured(
      CapacityType newCapacity, SortedMap<String, Long> newPrices, ClusterSettings newSettings) {
    return new Cluster(
        id,
        name,
        kind,
        state,
        newCapacity,
        newPrices,
        newSettings,
        capabilities,
        createdAt,
        lastSeenAt,
        trouble,
        version + 1);
  }

  /** The same with another capacity type, for what is seen of some of its nodes; no new version. */
  public Cluster offering(CapacityType other) {
    return other == capacity
        ? this
        : new Cluster(
            id,
            name,
            kind,
            state,
            other,
            pricePerGpuHour,
            settings,
            capabilities,
            createdAt,
            lastSeenAt,
            trouble,
            version);
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
        settings,
        now,
        createdAt,
        seenAt,
        newTrouble,
        version + 1);
  }

  /** How a node of this cluster is paid for. */
  public CapacityType capacityOf(Node node) {
    CapacityType own = node.capacity();
    return own == null ? capacity : own;
  }
}
