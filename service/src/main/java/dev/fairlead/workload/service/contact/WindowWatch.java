package dev.fairlead.workload.service.contact;

import dev.fairlead.cluster.InventoryStore;
import dev.fairlead.identity.ClusterId;
import dev.fairlead.node.NodeId;
import dev.fairlead.node.NodePool;
import dev.fairlead.node.Pool;
import dev.fairlead.node.PoolStore;
import dev.fairlead.node.PoolWindows;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Follows the windows of pools for one cluster: which nodes have to be left, and when nodes may
 * change their pool. Costs nothing while no pool has windows, but a look at the pools now and then.
 */
final class WindowWatch {
  /** How old what is known of pools may be; a change of a pool assigns nodes itself. */
  private static final Duration READ = Duration.ofSeconds(5);

  private final ClusterId cluster;
  private final InventoryStore inventory;
  private final PoolStore pools;
  private SortedMap<String, PoolWindows> windows = Collections.emptySortedMap();
  private @Nullable Instant read;
  private @Nullable Instant next;
  private boolean repeat;
  private SortedMap<NodeId, String> closed = Collections.emptySortedMap();
  private SortedSet<NodeId> busy = Collections.emptySortedSet();

  WindowWatch(ClusterId cluster, InventoryStore inventory, PoolStore pools) {
    this.cluster = cluster;
    this.inventory = inventory;
    this.pools = pools;
  }

  /** Nodes that work has to leave now, with the name of their pool. */
  SortedMap<NodeId, String> closed() {
    return closed;
  }

  /**
   * Looks again; true when nodes may have to change their pool: a window opened or closed, or a
   * node of a closed pool has been left. Says so again at the next look at the pools, since the
   * database's time may have been behind.
   */
  boolean look(Instant now) {
    boolean due = readPools(now);
    Instant change = next;
    boolean over = change != null && !now.isBefore(change);
    repeat |= over;
    due |= over;
    if (due) {
      next =
          windows.values().stream()
              .map(each -> each.nextChange(now))
              .filter(Objects::nonNull)
              .min(Instant::compareTo)
              .orElse(null);
    }
    SortedMap<NodeId, String> stops = new TreeMap<>();
    SortedSet<NodeId> held = new TreeSet<>();
    if (windows.values().stream().anyMatch(each -> !each.open(now))) {
      inventory
          .busyInWindows(cluster)
          .forEach((node, pool) -> {
            if (!pool.windows().open(now)) {
              held.add(node);
              leave(stops, node, pool, now);
            }
          });
    }
    due |= !held.containsAll(busy);
    busy = held;
    closed = stops;
    return due;
  }

  private static void leave(
      SortedMap<NodeId, String> stops, NodeId node, NodePool pool, Instant now) {
    if (pool.windows().stops(now)) {
      stops.put(node, pool.name());
    }
  }

  /** Whether windows changed, or nodes are to be looked at again. */
  private boolean readPools(Instant now) {
    Instant last = read;
    if (last != null && !now.isBefore(last) && now.isBefore(last.plus(READ))) {
      return false;
    }
    SortedMap<String, PoolWindows> found = new TreeMap<>();
    List<Pool> all = pools.pools();
    all.stream()
        .filter(pool -> !pool.windows().always())
        .forEach(pool -> found.put(pool.name(), pool.windows()));
    read = now;
    boolean other = repeat || !found.equals(windows);
    repeat = false;
    windows = found;
    return other;
  }
}
