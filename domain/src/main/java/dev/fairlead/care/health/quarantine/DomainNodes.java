package dev.fairlead.care.health.quarantine;

import static java.util.stream.Collectors.toCollection;

import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdSource;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Updates the quarantines of nodes to match the quarantines of their domains, in the caller's
 * transaction and after {@link HealthStore#enter}.
 */
public final class DomainNodes {
  private DomainNodes() {}

  /**
   * Missing quarantines, and the quarantines of nodes that left their domain.
   *
   * @param begin quarantines to begin, by node id
   */
  record Changes(List<Quarantine> begin, List<Quarantine> end) {}

  /**
   * Returns the required changes. Nodes that are not given, or that report no domain of the level,
   * retain their quarantines, so a node that its cluster temporarily does not list returns in the
   * same state.
   *
   * @param domains active domain quarantines
   * @param standing active quarantines of nodes of the cluster
   * @param nodes in service, by id
   */
  static Changes changes(
      List<DomainQuarantine> domains,
      List<Quarantine> standing,
      SortedMap<NodeId, Node> nodes,
      Supplier<QuarantineId> ids,
      Instant now) {
    List<Quarantine> begin = new ArrayList<>();
    List<Quarantine> end = new ArrayList<>();
    for (DomainQuarantine domain : domains) {
      Set<NodeId> has = new TreeSet<>();
      for (Quarantine quarantine : standing) {
        if (domain.id().equals(quarantine.domain())) {
          Node node = nodes.get(quarantine.node());
          boolean left = node != null && domain.leftFor(node.topology());
          has.add(quarantine.node());
          if (left) {
            end.add(quarantine);
          }
        }
      }
      nodes.values().stream()
          .filter(node -> domain.covers(node.topology()) && !has.contains(node.id()))
          .forEach(node -> begin.add(domain.of(ids.get(), node, now)));
    }
    return new Changes(begin, end);
  }

  /**
   * Writes a cluster's report like {@link InventoryStore#report}. A node that is already in a
   * quarantined domain is never visible in use. The cost depends on the nodes of these domains, not
   * on the size of the cluster.
   */
  public static void report(
      HealthStore health,
      InventoryStore inventory,
      ClusterId cluster,
      List<NodeReport> reports,
      IdSource ids,
      Instant now) {
    health.enter(cluster);
    int _ = inventory.report(cluster, reports);
    List<DomainQuarantine> domains = health.domains(cluster);
    Set<String> names =
        reports.stream()
            .filter(report -> domains.stream().anyMatch(d -> d.covers(report.topology())))
            .map(NodeReport::name)
            .collect(toCollection(TreeSet::new));
    List<Node> nodes = new ArrayList<>(inventory.named(cluster, names));
    Set<NodeId> others = new TreeSet<>();
    health.standing(cluster).stream()
        .filter(quarantine -> quarantine.domain() != null)
        .forEach(quarantine -> others.add(quarantine.node()));
    nodes.forEach(node -> others.remove(node.id()));
    nodes.addAll(inventory.inService(others));
    settle(health, inventory, cluster, nodes, ids, now);
  }

  /**
   * Begins and ends the required quarantines.
   *
   * @param nodes in service: at least the nodes of the domains and the nodes that may have left one
   */
  public static void settle(
      HealthStore health,
      InventoryStore inventory,
      ClusterId cluster,
      Collection<Node> nodes,
      IdSource ids,
      Instant now) {
    SortedMap<NodeId, Node> byId = new TreeMap<>();
    nodes.forEach(node -> byId.put(node.id(), node));
    List<DomainQuarantine> domains = health.domains(cluster);
    Changes changes =
        changes(domains, health.standing(cluster), byId, () -> new QuarantineId(ids.next()), now);
    health.write(changes.begin());
    inventory.order(changes.begin().stream().map(Quarantine::node).toList(), NodeOrder.QUARANTINE);
    Releases.end(health, inventory, changes.end(), ended -> "the node left its domain", now);
  }

  /** Ends these domain quarantines and only the quarantines that they created. */
  public static void end(
      HealthStore health,
      InventoryStore inventory,
      List<DomainQuarantine> ending,
      Function<DomainQuarantine, String> why,
      Instant now) {
    Instant at = now.truncatedTo(ChronoUnit.MICROS); // equal in all rows after storage
    for (DomainQuarantine domain : ending) {
      String text = why.apply(domain);
      Releases.end(health, inventory, of(health, domain), ended -> text, at);
      health.write(domain.released(at, text));
    }
  }

  /** Returns its active node quarantines. */
  public static List<Quarantine> of(HealthStore health, DomainQuarantine domain) {
    return health.standing(domain.cluster()).stream()
        .filter(quarantine -> domain.id().equals(quarantine.domain()))
        .toList();
  }
}
