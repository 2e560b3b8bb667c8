package dev.fairlead.fleet.cluster;

import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.fleet.cluster.connection.TrafficGateway;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a cluster by an operator.
 *
 * @param topologyLabels node labels that name topology domains, widest first, empty for the
 *     configured default labels
 * @param pinning binding of pods to their planned node
 * @param rdmaResource resource name of the fabric on its nodes, such as {@code rdma/hca}, null for
 *     a cluster without one
 * @param scoring rule that selects the node of a single member
 * @param window time during which the cluster may be used
 * @param consolidation whether running jobs are moved so that a waiting job fits
 * @param callback address at which its pods reach Fairlead, such as {@code
 *     https://fairlead.example.com}, null if they cannot
 * @param prometheus source of the GPU utilisation of its pods, null if none
 * @param nodeLabelsAndTaints which pools and quarantines are shown on its nodes
 * @param gateway routes the requests of model services, null if none
 * @param backend scheduler that chooses the nodes of pods
 * @param devices form of requests for whole GPUs
 */
@RecordBuilder
public record ClusterSettings(
    List<String> topologyLabels,
    Pinning pinning,
    @Nullable String rdmaResource,
    Scoring scoring,
    Window window,
    Consolidation consolidation,
    @Nullable String callback,
    @Nullable Prometheus prometheus,
    NodeLabelPolicy nodeLabelsAndTaints,
    @Nullable TrafficGateway gateway,
    PlacementBackend backend,
    PodDevices devices)
    implements ClusterSettingsBuilder.With {
  public static final ClusterSettings DEFAULT = ClusterSettings.of(List.of(), Pinning.DIRECT, null);

  /** Binding of pods to their node. */
  public enum Pinning {
    /** Fairlead binds the pod when it creates it, without the cluster's scheduler. */
    DIRECT,
    /** The cluster's scheduler binds the pod, and may choose only this node. */
    SCHEDULER
  }

  /**
   * Choice between suitable nodes for a member. Gangs are packed into few domains, and use this
   * choice inside a domain.
   */
  public enum Scoring {
    /** Least growth of fragmentation if GPUs are shared, else the fullest node. */
    DEFAULT,
    /** The fullest node. */
    BEST_FIT,
    /** The emptiest node. */
    SPREAD
  }

  /** Whether running preemptible jobs are moved to other nodes of the cluster. */
  public enum Consolidation {
    /** No job is moved. */
    NEVER,
    /**
     * Jobs are moved if a waiting job then starts, every moved job has a new node assignment, and
     * the move pays.
     */
    WHEN_IT_PAYS
  }

  /** Labels and taints on the cluster's nodes, for programs that do not know Fairlead. */
  public enum NodeLabelPolicy {
    /** None. Existing ones are removed. */
    NEVER,
    /** A label with the pool. */
    POOL,
    /** The label, and a taint while the node is quarantined. */
    POOL_AND_QUARANTINE
  }

  public ClusterSettings {
    topologyLabels = List.copyOf(topologyLabels);
    backend = backend == null ? PlacementBackend.FAIRLEAD : backend;
    devices = devices == null ? PodDevices.EXTENDED_RESOURCE : devices;
  }

  /** Creates settings with the default choice of nodes. */
  public static ClusterSettings of(
      List<String> topologyLabels, Pinning pinning, @Nullable String rdmaResource) {
    return ClusterSettingsBuilder.builder()
        .topologyLabels(topologyLabels)
        .pinning(pinning)
        .rdmaResource(rdmaResource)
        .scoring(Scoring.DEFAULT)
        .window(Window.ALWAYS)
        .consolidation(Consolidation.NEVER)
        .callback(null)
        .prometheus(null)
        .nodeLabelsAndTaints(NodeLabelPolicy.NEVER)
        .gateway(null)
        .backend(PlacementBackend.FAIRLEAD)
        .devices(PodDevices.EXTENDED_RESOURCE)
        .build();
  }
}
