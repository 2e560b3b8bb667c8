package dev.fairlead.workload.service;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.ClusterId;
import dev.fairlead.cluster.ClusterKind;
import dev.fairlead.cluster.InventoryStore;
import dev.fairlead.lease.LeaseStore;
import dev.fairlead.workload.ClusterConnector;
import dev.fairlead.workload.ClusterGateway;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** The open gateways of this process, one per cluster. */
@Component
public class Gateways implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Gateways.class);
  private final Map<ClusterKind, ClusterConnector> connectors = new EnumMap<>(ClusterKind.class);
  private final Map<ClusterId, ClusterGateway> open = new TreeMap<>();
  private final Map<ClusterId, Runnable> listeners = new ConcurrentHashMap<>();
  private final InventoryStore inventory;
  private final LeaseStore leases;

  public Gateways(List<ClusterConnector> connectors, InventoryStore inventory, LeaseStore leases) {
    connectors.forEach(c -> this.connectors.put(c.kind(), c));
    this.inventory = inventory;
    this.leases = leases;
  }

  /**
   * The gateway of the cluster, opened when it is not; empty when the cluster is unknown or nothing
   * here connects to its kind.
   */
  public Optional<ClusterGateway> of(ClusterId id) {
    synchronized (open) {
      ClusterGateway known = open.get(id);
      if (known != null) {
        return Optional.of(known);
      }
    }
    Cluster cluster = inventory.cluster(id).orElse(null);
    ClusterConnector connector = cluster == null ? null : connectors.get(cluster.kind());
    if (cluster == null || connector == null) {
      return Optional.empty();
    }
    ClusterGateway opened =
        connector.connect(leases.installation(), cluster, inventory.connection(id));
    opened.onChange(() -> listeners.getOrDefault(id, () -> {}).run());
    synchronized (open) {
      ClusterGateway raced = open.putIfAbsent(id, opened);
      if (raced == null) {
        return Optional.of(opened);
      }
      closeQuietly(id, opened);
      return Optional.of(raced);
    }
  }

  /**
   * Runs the listener soon after the cluster shows a change, in this gateway of it or in a later
   * one.
   */
  public void listen(ClusterId id, Runnable listener) {
    listeners.put(id, listener);
  }

  /** Closes the gateway of a cluster that this process no longer looks after. */
  public void close(ClusterId id) {
    ClusterGateway gateway;
    synchronized (open) {
      gateway = open.remove(id);
    }
    if (gateway != null) {
      closeQuietly(id, gateway);
    }
  }

  @Override
  public void close() {
    synchronized (open) {
      open.forEach(Gateways::closeQuietly);
      open.clear();
    }
  }

  private static void closeQuietly(ClusterId id, ClusterGateway gateway) {
    try {
      gateway.close();
    } catch (RuntimeException failed) {
      LOG.warn("gateway of {} did not close: {}", id.text(), failed.toString());
    }
  }
}
