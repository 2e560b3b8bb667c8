package dev.fairlead.work.workload.kubernetes.node;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Optional;

/**
 * Reads single nodes from the API server instead of the watches. A list without a resource version
 * returns the current state from any API server. A list of a single name reads only that key, and
 * needs no additional right.
 */
public final class UncachedNodes {
  private final ClusterCalls calls;
  private final NodeReports reports;
  private final Inventory inventory;

  public UncachedNodes(ClusterCalls calls, NodeReports reports, Inventory inventory) {
    this.calls = calls;
    this.reports = reports;
    this.inventory = inventory;
  }

  /**
   * Returns an empty result for a node that does not exist, unless a taint on its last object
   * declared the machine off.
   *
   * @throws CallFailure if the cluster does not answer
   */
  public Optional<NodeReport> find(KubernetesClient client, String name) {
    List<Node> found =
        calls.read(
            () -> client.nodes().withField("metadata.name", name).list(asOfNow()).getItems());
    return found.isEmpty()
        ? inventory.find(name).filter(NodeReport::machineGone)
        : Optional.of(inventory.offering(reports.of(found.getFirst())));
  }

  private static ListOptions asOfNow() {
    return new ListOptionsBuilder().build();
  }
}
