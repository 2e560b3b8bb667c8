package dev.fairlead.work.placement.shape;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.work.spec.BackendLoss;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PlacementSpec.Numa;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

/**
 * Requirements of members on a node other than resources.
 *
 * @param nodeLabels labels that a node must carry
 * @param neighbours rules for jobs in the same domain
 * @param numa whether GPUs and CPU of one member come from one NUMA node
 * @param backsOff nodes on which their job failed, with the end of each back-off
 * @param booked nodes closed by advance reservations
 * @param bare whether they run on the node itself, without a container
 * @param losses requests of their job that some backends of clusters refuse
 */
public record NodeTerms(
    SortedMap<String, String> nodeLabels,
    Neighbours neighbours,
    Numa numa,
    SortedMap<NodeId, Instant> backsOff,
    BookedNodes booked,
    boolean bare,
    SortedSet<BackendLoss> losses) {
  static NodeTerms of(PlacementSpec placement, boolean bare, SortedSet<BackendLoss> losses) {
    return new NodeTerms(
        placement.nodeLabels(),
        Neighbours.ANY,
        placement.numa(),
        Collections.emptySortedMap(),
        BookedNodes.NONE,
        bare,
        losses);
  }

  NodeTerms avoiding(SortedMap<NodeId, Instant> nodes) {
    return new NodeTerms(nodeLabels, neighbours, numa, nodes, booked, bare, losses);
  }

  NodeTerms among(Neighbours others) {
    return new NodeTerms(nodeLabels, others, numa, backsOff, booked, bare, losses);
  }

  NodeTerms booked(BookedNodes closed) {
    return new NodeTerms(nodeLabels, neighbours, numa, backsOff, closed, bare, losses);
  }

  /**
   * Returns why the backend of the cluster refuses the job. The result is empty if it accepts the
   * job.
   */
  public Optional<String> refusedBy(Cluster cluster) {
    String trouble = cluster.backendTrouble();
    if (trouble != null) {
      return Optional.of(trouble);
    }
    PlacementBackend.Kind kind = cluster.settings().backend().kind();
    return losses.isEmpty()
        ? Optional.empty()
        : losses.stream()
            .filter(loss -> loss.refusedBy(kind))
            .findFirst()
            .map(loss -> loss.trouble(kind));
  }
}
