package dev.fairlead.work.workload.service.contact;

import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.care.reservation.AdvanceReservationStore;
import dev.fairlead.care.reservation.BookedNode;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.fleet.operation.ClosedBy;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Follows the windows of pools and the advance reservations for one cluster: the nodes to leave,
 * and the time when nodes may change their pool. Without windows and advance reservations it only
 * reads both from time to time.
 */
final class WindowWatch {
  /** Maximum age of the cached pools. A change of a pool assigns nodes itself. */
  private static final Duration READ = Duration.ofSeconds(5);

  /** Longest age of the cached nodes of closed pools, regardless of the rate of passes. */
  private static final Duration HELD = Duration.ofSeconds(1);

  private final ClusterId cluster;
  private final InventoryStore inventory;
  private final PoolStore pools;
  private final AdvanceReservationStore advanceReservations;
  private SortedMap<String, NodePool> windowed = Collections.emptySortedMap();
  private @Nullable Instant read;
  private @Nullable Instant looked;
  private @Nullable Instant next;
  private boolean repeat;
  private List<AdvanceReservation> evicting = List.of();
  private SortedMap<NodeId, List<ClosedBy>> closed = Collections.emptySortedMap();
  private SortedSet<NodeId> held = Collections.emptySortedSet();
  private SortedSet<NodeId> busy = Collections.emptySortedSet();

  WindowWatch(
      ClusterId cluster,
      InventoryStore inventory,
      PoolStore pools,
      AdvanceReservationStore advanceReservations) {
    this.cluster = cluster;
    this.inventory = inventory;
    this.pools = pools;
    this.advanceReservations = advanceReservations;
  }

  /** Nodes from which work must move now, with the causes. */
  SortedMap<NodeId, List<ClosedBy>> closed() {
    return closed;
  }

  /**
   * Checks again. Returns true when nodes may have to change their pool: a window opened or closed,
   * or a node is empty. Returns true again at the next read of the pools, because the database's
   * clock may have been behind.
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

  /**
   * Finds the nodes of closed pools by the windows of the pools. Returns true when a node is empty.
   */
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
    SortedMap<NodeId, List<ClosedBy>> stops = new TreeMap<>();
    nodes.forEach((node, name) -> {
      NodePool pool = shut.get(name);
      if (pool != null) {
        stops.computeIfAbsent(node, none -> new ArrayList<>()).add(new ClosedBy.Windows(pool));
      }
    });
    addBooked(now, stops);
    held = new TreeSet<>(nodes.keySet());
    closed = stops;
    return !held.containsAll(before);
  }

  /** Adds occupied nodes of advance reservations that have begun and evict. */
  private void addBooked(Instant now, SortedMap<NodeId, List<ClosedBy>> stops) {
    List<AdvanceReservation> begun =
        evicting.stream().filter(advanceReservation -> advanceReservation.current(now)).toList();
    SortedSet<NodeId> work =
        begun.isEmpty() ? Collections.emptySortedSet() : inventory.busy(cluster);
    for (AdvanceReservation advanceReservation : begun) {
      for (BookedNode node : advanceReservation.nodes()) {
        if (work.contains(node.id())) {
          stops
              .computeIfAbsent(node.id(), none -> new ArrayList<>())
              .add(new ClosedBy.Begun(advanceReservation));
        }
      }
    }
  }

  /** Returns whether windows changed, a node is empty, or nodes must be checked again. */
  private boolean readPools(Instant now) {
    if (!over(read, READ, now)) {
      return false;
    }
    evicting =
        advanceReservations.open().stream()
            .filter(
                advanceReservation -> advanceReservation.leftoverPolicy() == LeftoverPolicy.EVICT)
            .toList();
    SortedMap<String, NodePool> found = new TreeMap<>();
    pools.pools().stream()
        .filter(pool -> !pool.windows().always())
        .forEach(pool -> found.put(pool.name(), pool.nodePool()));
    SortedSet<NodeId> before = busy;
    busy = found.isEmpty() ? Collections.emptySortedSet() : inventory.busy(cluster);
    read = now;
    boolean other = repeat || !found.equals(windowed) || !busy.containsAll(before);
    repeat = false;
    windowed = found;
    return other;
  }
}
