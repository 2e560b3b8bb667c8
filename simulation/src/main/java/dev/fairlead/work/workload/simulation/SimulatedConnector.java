package dev.fairlead.work.workload.simulation;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.ClusterConnector;
import dev.fairlead.work.workload.ClusterGateway;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to simulated clusters. A cluster starts with its first connection and ends with
 * the connector. Later connections find its current state. On wall time one daemon thread advances
 * all clusters. Thread-safe.
 */
public final class SimulatedConnector implements ClusterConnector, AutoCloseable {
  private record Entry(ClusterId id, Connection.Simulated connection, SimulatedCluster cluster) {}

  private final SortedMap<String, Entry> entries = new TreeMap<>();
  private final InstantSource clock;
  private final long seed;
  private final @Nullable SimulationTimer timer;

  private SimulatedConnector(InstantSource clock, long seed, boolean wallTime) {
    this.clock = clock;
    this.seed = seed;
    timer = wallTime ? new SimulationTimer(clock, this::clusters) : null;
  }

  /** Clusters that advance with the clock. */
  public static SimulatedConnector onWallTime(InstantSource clock, long seed) {
    return new SimulatedConnector(clock, seed, true);
  }

  /** Clusters that advance when they are used, and with {@link SimulatedCluster#tickTo}. */
  public static SimulatedConnector onVirtualTime(InstantSource clock, long seed) {
    return new SimulatedConnector(clock, seed, false);
  }

  @Override
  public ClusterKind kind() {
    return ClusterKind.SIMULATED;
  }

  /**
   * @throws IllegalArgumentException when the connection is not a simulated one, or its fleet is
   *     too large
   */
  @Override
  public ClusterGateway connect(Installation installation, Cluster cluster, Connection connection) {
    return switch (connection) {
      case Connection.Simulated simulated -> cluster(cluster, simulated).session();
      case Connection.Kubernetes _, Connection.Slurm _ ->
          throw new IllegalArgumentException(cluster.name() + " is not a simulated cluster");
    };
  }

  /** The cluster itself, for fault injection, empty before its first connection. */
  public synchronized Optional<SimulatedCluster> named(String cluster) {
    return Optional.ofNullable(entries.get(cluster)).map(Entry::cluster);
  }

  /** Stops the thread. Clusters no longer advance. */
  @Override
  public void close() {
    if (timer != null) {
      timer.close();
    }
  }

  /** Returns the cluster. A name that was reassigned to another cluster or fleet starts again. */
  private synchronized SimulatedCluster cluster(Cluster cluster, Connection.Simulated connection) {
    Entry entry = entries.get(cluster.name());
    if (entry == null
        || !entry.id().equals(cluster.id())
        || !entry.connection().equals(connection)) {
      entry = new Entry(cluster.id(), connection, begin(cluster, connection));
      entries.put(cluster.name(), entry);
    }
    return entry.cluster();
  }

  private SimulatedCluster begin(Cluster of, Connection.Simulated connection) {
    SimulatedCluster cluster =
        new SimulatedCluster(
            of.name(), connection.fleet(), of.settings().rdmaResource(), clock, seed);
    if (timer != null) {
      cluster.alarm(timer::wakeBy);
    }
    return cluster;
  }

  private synchronized List<SimulatedCluster> clusters() {
    return entries.values().stream().map(Entry::cluster).toList();
  }
}
