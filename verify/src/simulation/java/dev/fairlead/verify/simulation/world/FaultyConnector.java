package dev.fairlead.verify.simulation.world;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.ClusterConnector;
import dev.fairlead.work.workload.ClusterGateway;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Connects to simulated clusters through the faults of a run. */
public record FaultyConnector(
    DurableState durable, ProcessLife life, VirtualTime time, List<Area> areas, Set<Guard> missing)
    implements ClusterConnector {

  @Override
  public ClusterKind kind() {
    return ClusterKind.SIMULATED;
  }

  @Override
  public ClusterGateway connect(Installation installation, Cluster cluster, Connection connection) {
    ClusterId id = cluster.id();
    ClusterGateway way =
        new FaultyGateway(
            Objects.requireNonNull(durable.clusters().get(id)),
            durable.nodesShown(id),
            durable.podsShown(id),
            durable.stores().jobs(),
            life,
            time,
            missing);
    for (Area area : areas) {
      way = area.reached(life, id, way);
    }
    return durable.reached(way);
  }
}
