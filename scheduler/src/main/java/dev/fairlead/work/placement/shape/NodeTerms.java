package dev.fairlead.work.placement.shape;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PlacementSpec.Numa;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;

/**
 * Requirements of members on a node other than resources.
 *
 * @param nodeLabels labels that a node must carry
 * @param neighbours which jobs may share a domain with them
 * @param numa whether GPUs and CPU of one member come from one NUMA node
 * @param backsOff nodes on which their job failed, with the end of each back-off
 * @param booked nodes that advance reservations close to them
 */
public record NodeTerms(
    SortedMap<String, String> nodeLabels,
    Neighbours neighbours,
    Numa numa,
    SortedMap<NodeId, Instant> backsOff,
    BookedNodes booked) {
  private static final String WITHOUT_NEIGHBOURS =
      "antiAffinity=AntiAffinity[jobClass=null, avoids=[]]";

  static NodeTerms of(PlacementSpec placement) {
    return new NodeTerms(
        placement.nodeLabels(),
        Neighbours.ANY,
        placement.numa(),
        Collections.emptySortedMap(),
        BookedNodes.NONE);
  }

  /**
   * Keys of explanations derive from this text. Without neighbours and advance reservations it has
   * the form of earlier versions, so that such keys do not change.
   */
  @Override
  public String toString() {
    return "NodeTerms[nodeLabels=%s, %s, numa=%s, backsOff=%s%s]"
        .formatted(
            nodeLabels,
            neighbours.equals(Neighbours.ANY) ? WITHOUT_NEIGHBOURS : "neighbours=" + neighbours,
            numa,
            backsOff,
            booked.none() ? "" : ", booked=" + booked);
  }

  NodeTerms avoiding(SortedMap<NodeId, Instant> nodes) {
    return new NodeTerms(nodeLabels, neighbours, numa, nodes, booked);
  }

  NodeTerms among(Neighbours others) {
    return new NodeTerms(nodeLabels, others, numa, backsOff, booked);
  }

  NodeTerms booked(BookedNodes closed) {
    return new NodeTerms(nodeLabels, neighbours, numa, backsOff, closed);
  }
}
