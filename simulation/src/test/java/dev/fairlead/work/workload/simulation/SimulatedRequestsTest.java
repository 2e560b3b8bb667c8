package dev.fairlead.work.workload.simulation;

import dev.fairlead.care.supply.ProvisioningConditions;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.ProvisioningContract;
import java.time.Instant;
import java.util.List;

class SimulatedRequestsTest extends ProvisioningContract {
  private final SeededIds ids = new SeededIds(1);
  private final SimulatedCluster cluster =
      new SimulatedCluster(
          "sim",
          List.of(new FleetPool(1, 8, "H100", 1, 1)),
          () -> Instant.parse("2030-01-01T00:00:00Z"),
          1);

  @Override
  protected ClusterGateway gateway() {
    return cluster;
  }

  @Override
  protected IdSource ids() {
    return ids;
  }

  @Override
  protected List<String> there(String name) {
    return cluster.requests().names().stream().filter(name::equals).toList();
  }

  @Override
  protected void sets(String name, ProvisioningConditions.Condition condition) {
    cluster.requests().set(name, condition);
  }

  @Override
  protected void deletes(String name) {
    cluster.requests().delete(name);
  }

  @Override
  protected void takes(String name) {
    cluster.requests().take(name);
  }
}
