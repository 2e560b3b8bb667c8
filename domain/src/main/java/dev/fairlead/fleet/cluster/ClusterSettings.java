package dev.fairlead.fleet.cluster;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an operator says of a cluster.
 *
 * @param topologyLabels node labels that name topology domains, widest first; empty for those of
 *     the configuration
 * @param pinning how pods get to the node that was planned for them
 * @param rdmaResource name under which its nodes offer a fabric, such as {@code rdma/hca}; null for
 *     a cluster without
 * @param scoring which node a single member gets
 * @param window when it may be used
 * @param consolidation whether running jobs are moved so that one that waits fits
 * @param callback address under which its pods reach Fairlead, such as {@code
 *     https://fairlead.example.com}; null where they do not
 * @param prometheus which tells what its pods make of their GPUs; null without
 * @param nodeMarks what its nodes show of their pools and quarantines
 */
public record ClusterSettings(
    List<String> topologyLabels,
    Pinning pinning,
    @Nullable String rdmaResource,
    Scoring scoring,
    Window window,
    Consolidation consolidation,
    @Nullable String callback,
    @Nullable Prometheus prometheus,
    NodeMarking nodeMarks) {
  public static final ClusterSettings DEFAULT =
      new ClusterSettings(List.of(), Pinning.DIRECT, null);

  /** How pods get to their node. */
  public enum Pinning {
    /** Bound when they are created; the cluster's scheduler has no say. */
    DIRECT,
    /** Bound by the cluster's scheduler, which may choose this one node only. */
    SCHEDULER
  }

  /**
   * Which of the nodes that fit a member gets; gangs are packed into few domains, and inside these
   * go by it too.
   */
  public enum Scoring {
    /** By least growth of fragmentation where GPUs are shared, else the fullest. */
    DEFAULT,
    /** The fullest. */
    BEST_FIT,
    /** The emptiest. */
    SPREAD
  }

  /** Whether preemptible jobs that run there are moved to other nodes of it. */
  public enum Consolidation {
    /** Nobody is moved. */
    NEVER,
    /** When a job that waits then starts, everyone moved has a place, and it pays. */
    WHEN_IT_PAYS
  }

  /** What nodes show on the cluster itself, for programs there that know nothing of Fairlead. */
  public enum NodeMarking {
    /** Nothing; what is shown is taken away. */
    NEVER,
    /** A label with the pool. */
    POOL,
    /** That, and a taint while the node has a quarantine. */
    POOL_AND_QUARANTINE
  }

  /** A row that an earlier version wrote does not have those that came later. */
  public ClusterSettings {
    topologyLabels = List.copyOf(topologyLabels);
    scoring = scoring == null ? Scoring.DEFAULT : scoring;
    window = window == null ? Window.ALWAYS : window;
    consolidation = consolidation == null ? Consolidation.NEVER : consolidation;
    nodeMarks = nodeMarks == null ? NodeMarking.NEVER : nodeMarks;
  }

  /** With the default choice of nodes. */
  public ClusterSettings(
      List<String> topologyLabels, Pinning pinning, @Nullable String rdmaResource) {
    this(
        topologyLabels,
        pinning,
        rdmaResource,
        Scoring.DEFAULT,
        Window.ALWAYS,
        Consolidation.NEVER,
        null,
        null,
        NodeMarking.NEVER);
  }

  /** The same with another choice of nodes. */
  public ClusterSettings scored(Scoring other) {
    return new ClusterSettings(
        topologyLabels,
        pinning,
        rdmaResource,
        other,
        window,
        consolidation,
        callback,
        prometheus,
        nodeMarks);
  }

  /** The same to be used at other times. */
  public ClusterSettings within(Window other) {
    return new ClusterSettings(
        topologyLabels,
        pinning,
        rdmaResource,
        scoring,
        other,
        consolidation,
        callback,
        prometheus,
        nodeMarks);
  }

  /** The same with jobs moved or not. */
  public ClusterSettings consolidated(Consolidation other) {
    return new ClusterSettings(
        topologyLabels,
        pinning,
        rdmaResource,
        scoring,
        window,
        other,
        callback,
        prometheus,
        nodeMarks);
  }

  /** The same with other marks on its nodes. */
  public ClusterSettings marking(NodeMarking other) {
    return new ClusterSettings(
        topologyLabels,
        pinning,
        rdmaResource,
        scoring,
        window,
        consolidation,
        callback,
        prometheus,
        other);
  }

  /** The same with pods pinned in this way. */
  public ClusterSettings pinned(Pinning other) {
    return new ClusterSettings(
        topologyLabels,
        other,
        rdmaResource,
        scoring,
        window,
        consolidation,
        callback,
        prometheus,
        nodeMarks);
  }

  /** The same with another address for its pods to call. */
  public ClusterSettings calling(@Nullable String address) {
    return new ClusterSettings(
        topologyLabels,
        pinning,
        rdmaResource,
        scoring,
        window,
        consolidation,
        address,
        prometheus,
        nodeMarks);
  }

  /** The same with another Prometheus. */
  public ClusterSettings measured(@Nullable Prometheus other) {
    return new ClusterSettings(
        topologyLabels,
        pinning,
        rdmaResource,
        scoring,
        window,
        consolidation,
        callback,
        other,
        nodeMarks);
  }
}
