package dev.fairlead.verify.simulation.work;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.loop.Tenure;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.UnguardedStores;
import dev.fairlead.verify.simulation.world.VirtualTime;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Watches the log retention in one process of the original installation for passes that may check
 * the claim. In such a pass, the process has held the lease since an earlier pass, has recorded
 * contact with a cluster since then, and has no read-only cluster.
 */
public final class RetentionWatch {
  private final Loop watched;
  private final Leases leases;
  private final VirtualTime time;
  private final DurableState durable;
  private final LongConsumer acted;
  private @Nullable SortedMap<ClusterId, Optional<Instant>> first;
  private long tenure;

  /**
   * @param acted told the beginning of each such pass that has ended without an exception
   */
  RetentionWatch(
      Loop watched, Leases leases, VirtualTime time, DurableState durable, LongConsumer acted) {
    this.watched = watched;
    this.leases = leases;
    this.time = time;
    this.durable = durable;
    this.acted = acted;
  }

  /** Returns the loop with an observer. */
  Loop loop() {
    return UnguardedStores.of(
        Loop.class,
        (self, method, arguments) -> {
          if (!method.getName().equals("tick")) {
            return UnguardedStores.invoke(watched, method, arguments);
          }
          long at = time.now();
          List<Cluster> before = clusters();
          Object more = UnguardedStores.invoke(watched, method, arguments);
          passed(at, before, clusters());
          return more;
        });
  }

  /** Checks the pass with the clusters read before and after it. */
  private void passed(long at, List<Cluster> before, List<Cluster> after) {
    long now = Tenure.of(leases, watched.name());
    SortedMap<ClusterId, Optional<Instant>> then = now == tenure ? first : null;
    tenure = now;
    if (now == 0
        || before.stream().anyMatch(Cluster::onlyReported)
        || after.stream().anyMatch(Cluster::onlyReported)) {
      first = null;
    } else if (then == null) {
      first = contacts(after);
    } else if (contacts(before).entrySet().stream()
        .anyMatch(one -> !then.getOrDefault(one.getKey(), one.getValue()).equals(one.getValue()))) {
      acted.accept(at);
    }
  }

  private static SortedMap<ClusterId, Optional<Instant>> contacts(List<Cluster> clusters) {
    SortedMap<ClusterId, Optional<Instant>> contacts = new TreeMap<>();
    clusters.forEach(one -> contacts.put(one.id(), Optional.ofNullable(one.lastSeenAt())));
    return contacts;
  }

  private List<Cluster> clusters() {
    return durable.stores().inventory().clusters();
  }
}
