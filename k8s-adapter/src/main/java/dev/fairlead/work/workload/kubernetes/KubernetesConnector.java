package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.ClusterConnector;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.kubernetes.call.ClusterGates;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

/** Opens gateways to Kubernetes clusters. */
public final class KubernetesConnector implements ClusterConnector {
  private final EgressPolicy egress;
  private final KubernetesSettings settings;
  private final ClusterGates gates;

  KubernetesConnector(
      EgressPolicy egress, KubernetesSettings settings, @Nullable MeterRegistry meters) {
    this.egress = egress;
    this.settings = settings;
    this.gates = new ClusterGates(settings.calls(), settings.callTimeout(), meters);
  }

  @Override
  public ClusterKind kind() {
    return ClusterKind.KUBERNETES;
  }

  @Override
  public ClusterGateway connect(Installation installation, Cluster cluster, Connection connection) {
    return switch (connection) {
      case Connection.Kubernetes kubernetes ->
          new KubernetesClusterGateway(
              installation,
              cluster,
              kubernetes,
              egress,
              settings,
              gates.open(cluster.name()),
              () -> gates.close(cluster.name()));
      case Connection.Simulated _, Connection.Slurm _ ->
          throw new IllegalArgumentException(cluster.name() + " is not a Kubernetes cluster");
    };
  }
}
