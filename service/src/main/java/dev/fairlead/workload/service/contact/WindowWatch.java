package dev.fairlead.workload.service.contact;

import dev.fairlead.cluster.InventoryStore;
import dev.fairlead.identity.ClusterId;
import dev.fairlead.node.NodeId;
import dev.fairlead.node.NodePool;
import dev.fairlead.node.PoolStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
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

  /** How old what is known of the nodes of closed pools may be, however often a turn comes. */
  private static final Duration HELD = Duration.ofSeconds(1);

  private final ClusterId cluster;
  private final InventoryStore inventory;
  private final PoolStore pools;
  private SortedMap<String, NodePool> windowed = Collections.emptySortedMap();
  private @Nullable Instant read;
  private @Nullable Instant looked;
  private @Nullable Instant next;
  private boolean repeat;
  private SortedMap<NodeId, NodePool> closed = Collections.emptySortedMap();
  private SortedSet<NodeId> held = Collections.emptySortedSet();
  private SortedSet<NodeId> busy = Collections.emptySortedSet();

  WindowWatch(ClusterId cluster, InventoryStore inventory, PoolStore pools) {
    this.cluster = cluster;
    this.inventory = inventory;
    this.pools = pools;
  }

  /** Nodes that work of their pool has to leave now, with that pool. */
  SortedMap<NodeId, NodePool> closed() {
    return closed;
  }

  /**
   * Looks again; true when nodes may have to change their pool: a window opened or closed, or a
   * node has been left. Says so again at the next look at the pools, since the database's time may
   * have been behind.
   */
  boolean look(Instant now) {
    boolean due = readPools(now);
    Instant change = next;
    boolean over = change != null && !now.isBefore(change);
    repeat |= over;
    due |= over;
    if (due) {
      next =
          windowed.values().stream()
              .map(each -> each.windows().nextChange(now))
              .filter(Objects::nonNull)
              .min(Instant::compareTo)
              .orElse(null);
    }
    if (!due && !over(looked, HELD, now)) {
      return false;
    }
    looked = now;
    return leave(now) || due;
  }

  private static boolean over(@Nullable Instant last, Duration most, Instant now) {
    return last == null || now.isBefore(last) || !now.isBefore(last.plus(most));
  }

  /** Finds the nodes of closed pools, by the windows of the pools; true when one has been left. */
  private boolean leave(Instant now) {
    SortedMap<String, NodePool> shut = new TreeMap<>();
    windowed.forEach((name, pool) -> {
      if (!pool.windows().open(now)) {
        shut.put(name, pool);
      }
    });
    SortedSet<NodeId> before = held;
    SortedMap<NodeId, String> nodes =
        shut.isEmpty() ? Collections.emptySortedMap() : inventory.busyIn(cluster, shut.keySet());
    shut.values().removeIf(pool -> !pool.windows().stops(now));
    SortedMap<NodeId, NodePool> stops = new TreeMap<>();
    nodes.forEach((node, name) -> {
      NodePool pool = shut.get(name);
      if (pool != null) {
        stops.put(node, pool);
      }
    });
    held = new TreeSet<>(nodes.keySet());
    closed = stops;
    return !held.containsAll(before);
  }

  /** Whether windows changed, a node was left, or nodes are to be looked at again. */
  private boolean readPools(Instant now) {
    if (!over(read, READ, now)) {
      return false;
    }
    SortedMap<String, NodePool> found = new TreeMap<>();
    pools.pools().stream()
        .filter(pool -> !pool.windows().always())
        .forEach(pool -> found.put(pool.name(), pool.mark()));
    SortedSet<NodeId> before = busy;
    busy = found.isEmpty() ? Collections.emptySortedSet() : inventory.busy(cluster);
    read = now;
    boolean other = repeat || !found.equals(windowed) || !busy.containsAll(before);
    repeat = false;
    windowed = found;
    return other;
  }
}
