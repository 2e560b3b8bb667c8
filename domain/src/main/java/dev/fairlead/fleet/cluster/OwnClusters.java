package dev.fairlead.fleet.cluster;

import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Determines the clusters that this database manages, for the holder of a lease that acts through
 * other systems. Rows of a copied database describe the state at the time of the copy. A cluster
 * therefore counts only after a supervisor has recorded a contact since the holder started to
 * observe. A supervisor records a contact only together with the cluster's report about the
 * managing database. A cluster that is only reported never counts. Not thread-safe.
 */
public final class OwnClusters {
  /** The last contact at the first observation, or while the cluster was only reported. */
  private final SortedMap<ClusterId, Optional<Instant>> before = new TreeMap<>();

  private final Set<ClusterId> own = new TreeSet<>();

  /** Returns the clusters that count, from their current rows. */
  public Set<ClusterId> among(Collection<Cluster> clusters) {
    for (Cluster cluster : clusters) {
      Optional<Instant> seen = Optional.ofNullable(cluster.lastSeenAt());
      if (cluster.onlyReported()) {
        own.remove(cluster.id());
        before.put(cluster.id(), seen);
      } else if (!Objects.equals(before.computeIfAbsent(cluster.id(), id -> seen), seen)) {
        own.add(cluster.id());
      }
    }
    return clusters.stream()
        .map(Cluster::id)
        .filter(own::contains)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * Resets the state after the lease was lost, because another process with another database may
   * have acted in the meantime.
   */
  public void forget() {
    before.clear();
    own.clear();
  }
}
