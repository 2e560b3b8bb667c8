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
 * Clusters on which this database acts, to the holder of a lease that lets others act for it. The
 * rows of a copy say what was so where it was copied. So a cluster counts once a supervisor noted a
 * contact since the holder began to look, which it does only together with what the cluster says of
 * the database; and never while it is only reported. Not thread-safe.
 */
public final class OwnClusters {
  /** The last contact as it was first looked at, or while the cluster was only reported. */
  private final SortedMap<ClusterId, Optional<Instant>> before = new TreeMap<>();

  private final Set<ClusterId> own = new TreeSet<>();

  /** Those of the clusters, as they are now, that count. */
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

  /** The lease was lost: another process may have acted meanwhile, with another database. */
  public void forget() {
    before.clear();
    own.clear();
  }
}
