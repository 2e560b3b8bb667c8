package dev.fairlead.work.workload.simulation;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.ClusterVolumesContract;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;

class SimulatedVolumesTest extends ClusterVolumesContract {
  private final SeededIds ids = new SeededIds(1);
  private final SimulatedCluster cluster =
      new SimulatedCluster(
          "sim",
          List.of(new FleetPool(1, 8, "H100", 1, 1)),
          () -> Instant.parse("2030-01-01T00:00:00Z"),
          1);

  @BeforeEach
  void ours() {
    cluster.claim(EPOCH, 0);
  }

  @Override
  protected ClusterGateway gateway() {
    return cluster;
  }

  @Override
  protected Installation installation() {
    return new Installation(new UUID(1, 1), 1);
  }

  @Override
  protected IdSource ids() {
    return ids;
  }

  @Override
  protected String projectName() {
    return "nlp";
  }

  @Override
  protected void deletes(String namespace, String claim) {
    cluster.claims().delete(namespace, claim);
  }

  @Override
  protected void replaces(String namespace, String claim) {
    cluster.claims().replace(namespace, claim);
  }
}
