package dev.fairlead.work.workload.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.LeaseStore;
import dev.fairlead.work.workload.ClusterConnector;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.service.pass.OutputStatus;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** The open gateways of this process, one for each cluster. */
@Component
public class ClusterConnections implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterConnections.class);
  private final Map<ClusterKind, ClusterConnector> connectors = new EnumMap<>(ClusterKind.class);
  private final Map<ClusterId, Opened> open = new TreeMap<>();
  private final Map<ClusterId, Runnable> listeners = new ConcurrentHashMap<>();
  private final OutputStatus output = new OutputStatus();
  private final InventoryStore inventory;
  private final LeaseStore leases;

  public ClusterConnections(
      List<ClusterConnector> connectors, InventoryStore inventory, LeaseStore leases) {
    connectors.forEach(c -> this.connectors.put(c.kind(), c));
    this.inventory = inventory;
    this.leases = leases;
  }

  /** A gateway with the settings under which it was opened, at that version of the cluster. */
  private record Opened(
      ClusterGateway gateway, ClusterSettings settings, Connection connection, long version) {
    Opened stillAt(long newer) {
      return new Opened(gateway, settings, connection, newer);
    }
  }

  /**
   * Returns the gateway of the cluster and opens it if needed. The result is empty for an unknown
   * or disabled cluster, or if no connector exists for its kind.
   */
  public Optional<ClusterGateway> of(ClusterId id) {
    synchronized (open) {
      Opened known = open.get(id);
      if (known != null) {
        return Optional.of(known.gateway());
      }
    }
    Cluster cluster = inventory.cluster(id).orElse(null);
    ClusterConnector connector =
        cluster == null || cluster.state() == ClusterState.DISABLED
            ? null
            : connectors.get(cluster.kind());
    if (cluster == null || connector == null) {
      return Optional.empty();
    }
    Connection connection = inventory.connection(id);
    ClusterGateway opened = connector.connect(leases.installation(), cluster, connection);
    opened.onChange(() -> listeners.getOrDefault(id, () -> {}).run());
    synchronized (open) {
      Opened raced =
          open.putIfAbsent(
              id, new Opened(opened, cluster.settings(), connection, cluster.version()));
      if (raced == null) {
        return Optional.of(opened);
      }
      closeQuietly(id, opened);
      return Optional.of(raced.gateway());
    }
  }

  /** State of the collected output of the clusters' members. */
  public OutputStatus output() {
    return output;
  }

  /** Returns whether any gateway is open. */
  boolean any() {
    synchronized (open) {
      return !open.isEmpty();
    }
  }

  /**
   * Calls {@link #renew} for each cluster, and closes gateways of disabled and deleted clusters.
   *
   * @param clusters all clusters
   */
  void follow(List<Cluster> clusters) {
    Set<ClusterId> left = new TreeSet<>();
    synchronized (open) {
      left.addAll(open.keySet());
    }
    for (Cluster cluster : clusters) {
      if (cluster.state() != ClusterState.DISABLED) {
        left.remove(cluster.id());
        renew(cluster);
      }
    }
    left.forEach(this::close);
  }

  /**
   * Closes the gateway of the cluster if its settings or credentials have changed. The next caller
   * opens a new gateway.
   */
  public void renew(Cluster cluster) {
    Opened known;
    synchronized (open) {
      known = open.get(cluster.id());
    }
    if (known == null || known.version() >= cluster.version()) {
      return;
    }
    boolean same =
        known.settings().equals(cluster.settings())
            && known.connection().equals(inventory.connection(cluster.id()));
    synchronized (open) {
      if (!known.equals(open.get(cluster.id()))) {
        return;
      }
      if (same) {
        open.put(cluster.id(), known.stillAt(cluster.version()));
      } else {
        LOG.info("cluster {} has new settings and is reconnected", cluster.name());
        open.remove(cluster.id());
        closeQuietly(cluster.id(), known.gateway());
      }
    }
  }

  /**
   * Runs the listener soon after the cluster reports a change, through this gateway or a later one.
   */
  public void listen(ClusterId id, Runnable listener) {
    listeners.put(id, listener);
  }

  /** Closes the gateway of a cluster that this process no longer supervises. */
  public void close(ClusterId id) {
    Opened opened;
    synchronized (open) {
      opened = open.remove(id);
    }
    if (opened != null) {
      closeQuietly(id, opened.gateway());
    }
  }

  @Override
  public void close() {
    synchronized (open) {
      open.forEach((id, opened) -> closeQuietly(id, opened.gateway()));
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
