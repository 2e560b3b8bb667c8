package dev.fairlead.fleet.cluster;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A registered cluster, without its credentials.
 *
 * @param pricePerGpuHour price by GPU model in micro-units of the installation's currency
 * @param settings settings by an operator
 * @param lastSeenAt database time of the last contact, null before the first
 * @param trouble the error at the last contact, human-readable, null if there was none
 */
@RecordBuilder
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
    long version)
    implements ClusterBuilder.With {
  /** Prefix of the trouble of a cluster that another database manages. */
  public static final String ONLY_REPORTED = "only reported, nothing is changed there: ";

  /** Prefix of the trouble of a cluster that does not answer. */
  public static final String UNANSWERED = "no usable answer from it";

  public Cluster {
    pricePerGpuHour = Collections.unmodifiableSortedMap(new TreeMap<>(pricePerGpuHour));
  }

  /**
   * Returns whether the cluster reports that another database, or a later state of this database,
   * manages it. Fairlead then changes nothing on the cluster, and requests no changes from other
   * systems.
   */
  public boolean onlyReported() {
    return onlyReported(trouble);
  }

  /** Returns whether this text is such a trouble. */
  public static boolean onlyReported(@Nullable String words) {
    return words != null && words.startsWith(ONLY_REPORTED);
  }

  /** Returns whether the cluster did not answer the last calls. */
  public boolean unanswered() {
    return trouble != null && trouble.startsWith(UNANSWERED);
  }

  /**
   * Returns why the backend of the cluster cannot start jobs. The result is null if nothing
   * prevents it, or if the cluster has not reported about this backend yet.
   */
  public @Nullable String backendTrouble() {
    String api = settings.backend().api();
    return api == null ? null : capabilities.reasons().get(Capabilities.podGroups(api));
  }

  /** Returns the cluster with this configuration by an operator. */
  public Cluster configured(
      CapacityType newCapacity, SortedMap<String, Long> newPrices, ClusterSettings newSettings) {
    return with()
        .capacity(newCapacity)
        .pricePerGpuHour(newPrices)
        .settings(newSettings)
        .version(version + 1)
        .build();
  }

  /**
   * Returns the cluster with another capacity type and the same version, for a view of some of its
   * nodes.
   */
  public Cluster offering(CapacityType other) {
    return other == capacity ? this : withCapacity(other);
  }

  /** Returns the cluster in another state. */
  public Cluster in(ClusterState next) {
    return moved(next, lastSeenAt, trouble, capabilities);
  }

  public Cluster moved(
      ClusterState next, @Nullable Instant seenAt, @Nullable String newTrouble, Capabilities now) {
    return with()
        .state(next)
        .capabilities(now)
        .lastSeenAt(seenAt)
        .trouble(newTrouble)
        .version(version + 1)
        .build();
  }

  public CapacityType capacityOf(Node node) {
    CapacityType own = node.capacity();
    return own == null ? capacity : own;
  }
}
