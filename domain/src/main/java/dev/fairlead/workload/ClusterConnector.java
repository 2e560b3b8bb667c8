package dev.fairlead.workload;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.ClusterKind;
import dev.fairlead.cluster.Connection;
import dev.fairlead.lease.Installation;

/** Opens gateways to clusters of one kind. */
public interface ClusterConnector {
  ClusterKind kind();

  /**
   * Opens a gateway; it connects in the background and {@link ClusterGateway#contact} tells how far
   * it is.
   */
  ClusterGateway connect(Installation installation, Cluster cluster, Connection connection);
}
