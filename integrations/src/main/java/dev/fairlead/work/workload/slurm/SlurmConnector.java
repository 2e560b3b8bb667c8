package dev.fairlead.work.workload.slurm;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.ClusterConnector;
import dev.fairlead.work.workload.ClusterGateway;
import java.time.Duration;

/** Opens gateways to Slurm clusters. */
public final class SlurmConnector implements ClusterConnector {
  private final EgressPolicy egress;
  private final Duration most;

  /**
   * @param most maximum duration of a call
   */
  public SlurmConnector(EgressPolicy egress, Duration most) {
    this.egress = egress;
    this.most = most;
  }

  @Override
  public ClusterKind kind() {
    return ClusterKind.SLURM;
  }

  /**
   * @throws IllegalArgumentException for a connection of another kind
   */
  @Override
  public ClusterGateway connect(Installation installation, Cluster cluster, Connection connection) {
    if (connection instanceof Connection.Slurm slurm) {
      SlurmRest rest = new SlurmRest(new SlurmHttps(slurm, egress, most));
      return new SlurmClusterGateway(cluster.name(), rest, installation, slurm.user()).open();
    }
    throw new IllegalArgumentException(cluster.name() + " is not a Slurm cluster");
  }
}
