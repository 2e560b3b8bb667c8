package dev.fairlead.work.workload;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.lease.Installation;

/** Opens gateways to clusters of one kind. */
public interface ClusterConnector {
  ClusterKind kind();

  /**
   * Opens a gateway. It connects in the background and {@link ClusterGateway#contact} reports the
   * progress.
   */
  ClusterGateway connect(Installation installation, Cluster cluster, Connection connection);
}
