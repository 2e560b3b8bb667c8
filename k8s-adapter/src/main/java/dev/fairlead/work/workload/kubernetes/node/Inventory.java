package dev.fairlead.work.workload.kubernetes.node;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.workload.InventoryView;
import dev.fairlead.work.workload.kubernetes.dra.SliceInventory;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The cluster's nodes with the use by foreign pods, updated by the watches. Only changed nodes are
 * rebuilt.
 */
public final class Inventory {
  private static final int MOST_GONE = 20_000;
  private final SortedMap<String, NodeReport> nodes = new TreeMap<>();
  private final SortedMap<String, SortedMap<String, ResourceVector>> foreign = new TreeMap<>();
  private final SortedMap<String, NodeReport> reports = new TreeMap<>();
  private final SortedSet<String> stale = new TreeSet<>();
  private final @Nullable SliceInventory published;
  private int gone;
  private long revision = 1;

  public record ForeignPod(String key, String node, ResourceVector asked) {}

  /**
   * @param published GPUs of the nodes, null on a cluster with device plugins
   */
  public Inventory(@Nullable SliceInventory published) {
    this.published = published;
  }

  /** Records that the published GPUs of these nodes have changed. */
  public synchronized void regarding(Collection<String> names) {
    stale.addAll(names);
  }

  /** Returns the report with the GPUs that its node offers to pods of Fairlead. */
  NodeReport offering(NodeReport node) {
    return published == null ? node : published.shown(node);
  }

  /** Returns whether anything changed. */
  public synchronized boolean node(@Nullable NodeReport before, @Nullable NodeReport now) {
    if (now != null) {
      nodes.put(now.name(), now);
      stale.add(now.name());
    } else if (before != null) {
      nodes.remove(before.name());
      if (before.outOfService() && gone++ < MOST_GONE) {
        nodes.put(before.name(), before.gone()); // the taint outlives the node object
      }
      stale.add(before.name());
    }
    return before == null ? now != null : !before.equals(now);
  }

  /** Returns whether anything changed. */
  public synchronized boolean foreign(@Nullable ForeignPod before, @Nullable ForeignPod now) {
    if (before == null ? now == null : before.equals(now)) {
      return false;
    }
    if (before != null) {
      podsOn(before.node()).remove(before.key());
      stale.add(before.node());
    }
    if (now != null) {
      podsOn(now.node()).put(now.key(), now.asked());
      stale.add(now.node());
    }
    return true;
  }

  public synchronized Optional<NodeReport> find(String name) {
    return Optional.ofNullable(nodes.get(name)).map(this::offering);
  }

  public synchronized InventoryView view() {
    boolean changed = false;
    for (String name : stale) {
      NodeReport node = nodes.get(name);
      NodeReport report = node == null ? null : offering(NodeReports.with(node, used(name)));
      NodeReport before = report == null ? reports.remove(name) : reports.put(name, report);
      changed |= before == null ? report != null : !before.equals(report);
    }
    stale.clear();
    revision += changed ? 1 : 0;
    return new InventoryView(revision, List.copyOf(reports.values()));
  }

  private ResourceVector used(String node) {
    Map<String, ResourceVector> pods = foreign.get(node);
    if (pods == null || pods.isEmpty()) {
      foreign.remove(node);
      return ResourceVector.ZERO;
    }
    return pods.values().stream().reduce(ResourceVector.ZERO, ResourceVector::plus);
  }

  private SortedMap<String, ResourceVector> podsOn(String node) {
    return foreign.computeIfAbsent(node, n -> new TreeMap<>());
  }
}
