package dev.fairlead.care.supply.service;

import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyRequest;
import dev.fairlead.care.supply.SupplyStore;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.OwnClusters;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.kernel.doctor.Diagnosis;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.kernel.identity.ClusterId;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;

/** Checks whether the provisioners of pools respond and can take requests. */
@Component
public class SupplyDiagnosis implements Diagnosis {
  private final SupplyStore supplies;
  private final PoolStore pools;
  private final InventoryStore inventory;

  public SupplyDiagnosis(SupplyStore supplies, PoolStore pools, InventoryStore inventory) {
    this.supplies = supplies;
    this.pools = pools;
    this.inventory = inventory;
  }

  @Override
  public String area() {
    return "supplies";
  }

  @Override
  public List<DoctorCheck> look() {
    List<Supply> all = supplies.supplies();
    List<SupplyRequest> open = all.isEmpty() ? List.of() : supplies.open();
    SortedMap<ClusterId, Cluster> clusters = new TreeMap<>();
    inventory.clusters().forEach(cluster -> clusters.put(cluster.id(), cluster));
    return all.stream()
        .flatMap(supply -> {
          String pool = pools.pool(supply.pool()).map(Pool::name).orElseGet(supply.pool()::text);
          List<SupplyRequest> its =
              open.stream().filter(each -> each.asked().pool().equals(supply.pool())).toList();
          Cluster cluster = clusters.get(supply.cluster());
          List<SupplyRequest> left =
              its.stream().filter(each -> !clusters.containsKey(each.asked().cluster())).toList();
          return Stream.of(
                  Stream.of(answers(supply, pool, its)),
                  left.isEmpty() ? Stream.<DoctorCheck>empty() : Stream.of(nobodys(pool, left)),
                  cluster == null || its.isEmpty()
                      ? Stream.<DoctorCheck>empty()
                      : standsStill(cluster, pool, its).stream())
              .flatMap(each -> each);
        })
        .toList();
  }

  private DoctorCheck answers(Supply supply, String pool, List<SupplyRequest> its) {
    return its.stream()
        .filter(each -> each.talk().unanswered() > 0)
        .findFirst()
        .map(each ->
            DoctorCheck.problem(
                area(),
                pool,
                "Its provisioner has not answered %d consecutive calls: %s"
                    .formatted(each.talk().unanswered(), each.talk().message()),
                supply.provisioner() instanceof Supply.Webhook
                    ? "Check the provisioner. docs/how-to/pools.md describes the required"
                        + " responses."
                    : "If it is forbidden, apply deploy/cluster-supply.yaml there. Otherwise see"
                        + " docs/how-to/pools.md."))
        .orElseGet(() -> DoctorCheck.ok(area(), pool, "its provisioner has answered"));
  }

  /**
   * Warns if requests for nodes of the cluster are blocked. A process sends requests for a cluster
   * only if it has seen the cluster since it became leader, see {@link OwnClusters}.
   */
  private Optional<DoctorCheck> standsStill(Cluster cluster, String pool, List<SupplyRequest> its) {
    if (cluster.onlyReported()) {
      return Optional.of(
          still(cluster, "is only reported", pool, its, "Follow docs/how-to/restore.md."));
    }
    return switch (cluster.state()) {
      case ACTIVE, DEGRADED, DRAINING -> Optional.empty();
      case UNREACHABLE ->
          Optional.of(
              still(
                  cluster,
                  "does not answer",
                  pool,
                  its,
                  "Follow docs/how-to/runbooks/FairleadClusterSilent.md, and check the provider for"
                      + " nodes that are still billed."));
      case DISABLED ->
          Optional.of(
              still(
                  cluster,
                  "is disabled",
                  pool,
                  its,
                  "Enable it until its nodes are returned. If it no longer exists, remove them"
                      + " at the provider and remove the supply with a reason"
                      + " (docs/how-to/pools.md)."));
    };
  }

  private DoctorCheck nobodys(String pool, List<SupplyRequest> left) {
    return DoctorCheck.problem(
        area(),
        pool,
        "the cluster of %s was removed: its nodes are not returned, and are still billed"
            .formatted(text(left)),
        "Remove them at the provider and remove the supply with a reason"
            + " (docs/how-to/pools.md).");
  }

  private DoctorCheck still(
      Cluster cluster, String how, String pool, List<SupplyRequest> its, String next) {
    return DoctorCheck.warning(
        area(),
        pool,
        "cluster %s %s: %s. Under another leader, no nodes are requested or returned there"
            .formatted(cluster.name(), how, text(its)),
        next);
  }

  /** Formats the number of requests and of nodes that they may bill. */
  private static String text(List<SupplyRequest> open) {
    int held = open.stream().mapToInt(SupplyRequest::held).sum();
    return "%d open request%s for nodes (%d held)"
        .formatted(open.size(), open.size() == 1 ? "" : "s", held);
  }
}
