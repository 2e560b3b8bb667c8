package dev.fairlead.work.placement.ledger;

import dev.fairlead.care.health.quarantine.DomainQuarantine;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.placement.filter.TaintFilter;
import dev.fairlead.work.placement.node.NodeCapacity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A node that is quarantined with its topology domain, and that its taints would open to jobs.
 *
 * @param domains the quarantined domains of the node, at least one
 */
public record QuarantinedNode(NodeCapacity capacity, List<DomainQuarantine> domains) {
  private static final TaintFilter TAINTS = new TaintFilter();

  /** Returns the nodes by part of a cluster, then name. Each node is evaluated once. */
  static SortedMap<ClusterPart, List<QuarantinedNode>> find(
      List<DomainQuarantine> standing, List<ClusterCapacity> parts) {
    SortedMap<ClusterId, SortedMap<String, SortedMap<String, DomainQuarantine>>> byName =
        new TreeMap<>();
    for (DomainQuarantine each : standing) {
      byName
          .computeIfAbsent(each.cluster(), none -> new TreeMap<>())
          .computeIfAbsent(each.level(), none -> new TreeMap<>())
          .put(each.domain(), each);
    }
    SortedMap<ClusterPart, List<QuarantinedNode>> found = new TreeMap<>();
    for (ClusterCapacity part : parts) {
      var levels = byName.get(part.cluster().id());
      if (levels != null) {
        found.put(part.part(), in(part, levels));
      }
    }
    return found;
  }

  private static List<QuarantinedNode> in(
      ClusterCapacity part, SortedMap<String, SortedMap<String, DomainQuarantine>> levels) {
    Cluster cluster = part.cluster();
    List<QuarantinedNode> found = new ArrayList<>();
    for (NodeCapacity capacity : part.capacities()) {
      Node node = capacity.node();
      if (node.state() == NodeState.QUARANTINED && TAINTS.admits(cluster, node)) {
        List<DomainQuarantine> domains = new ArrayList<>();
        for (Map.Entry<String, SortedMap<String, DomainQuarantine>> level : levels.entrySet()) {
          String domain = node.topology().get(level.getKey());
          DomainQuarantine quarantine = domain == null ? null : level.getValue().get(domain);
          if (quarantine != null) {
            domains.add(quarantine);
          }
        }
        if (!domains.isEmpty()) {
          found.add(new QuarantinedNode(capacity, List.copyOf(domains)));
        }
      }
    }
    return List.copyOf(found);
  }
}
