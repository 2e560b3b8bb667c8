package dev.fairlead.care.health.service;

import dev.fairlead.care.health.NodeJobs;
import dev.fairlead.care.health.quarantine.DomainNodes;
import dev.fairlead.care.health.quarantine.DomainQuarantine;
import dev.fairlead.care.health.quarantine.DomainQuarantineId;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reads quarantines of topology domains. */
@Service
public class DomainQuarantines {
  private static final int MOST_NAMED = 1_000;

  private final Transactions transactions;
  private final HealthStore health;
  private final InventoryStore inventory;
  private final NodeJobs jobs;

  public DomainQuarantines(
      Transactions transactions, HealthStore health, InventoryStore inventory, NodeJobs jobs) {
    this.transactions = transactions;
    this.health = health;
    this.inventory = inventory;
    this.jobs = jobs;
  }

  /**
   * A quarantine of a domain for the API.
   *
   * @param cluster name of its cluster
   * @param nodes number of nodes that it isolates, or isolated at its end
   * @param scope affected nodes, null in lists
   */
  public record View(
      DomainQuarantine quarantine, String cluster, int nodes, @Nullable Scope scope) {}

  /**
   * Scope of a quarantine.
   *
   * @param nodes names of its nodes, the first 1,000
   * @param otherwise names of nodes with another quarantine, which stay out of service after the
   *     end of this quarantine
   * @param jobs jobs that run on its nodes
   */
  public record Scope(List<String> nodes, List<String> otherwise, NodeJobs.Jobs jobs) {}

  /**
   * Lists quarantines of domains, newest first.
   *
   * @param cluster id or name
   * @param standing whether to list only active quarantines
   * @param before only older ones, null for the newest
   * @throws Refusal NOT_FOUND
   */
  public List<View> list(
      String cluster, boolean standing, @Nullable DomainQuarantineId before, int limit) {
    return transactions.readForAllTenants(() -> {
      Cluster of = FleetNames.cluster(inventory, cluster);
      List<DomainQuarantine> found = health.domains(of.id(), standing, before, limit);
      SortedMap<DomainQuarantineId, Integer> covered =
          health.covered(found.stream().map(DomainQuarantine::id).toList());
      return found.stream()
          .map(each -> new View(each, of.name(), covered.getOrDefault(each.id(), 0), null))
          .toList();
    });
  }

  /**
   * Returns a quarantine of a domain.
   *
   * @param cluster id or name
   * @throws Refusal NOT_FOUND
   */
  public View one(String cluster, String id) {
    return transactions.readForAllTenants(() -> {
      Cluster of = FleetNames.cluster(inventory, cluster);
      return view(of, found(of, id));
    });
  }

  DomainQuarantine found(Cluster cluster, String id) {
    return IdText.decode(IdKind.DOMAIN_QUARANTINE, id)
        .flatMap(uuid -> health.domain(new DomainQuarantineId(uuid)))
        .filter(each -> each.cluster().equals(cluster.id()))
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND,
                "There is no domain quarantine %s in cluster %s.".formatted(id, cluster.name())));
  }

  View view(Cluster cluster, DomainQuarantine quarantine) {
    int nodes = health.covered(List.of(quarantine.id())).getOrDefault(quarantine.id(), 0);
    return new View(quarantine, cluster.name(), nodes, scope(quarantine));
  }

  /** Returns the scope of a quarantine. The scope of an ended quarantine is empty. */
  Scope scope(DomainQuarantine quarantine) {
    Set<NodeId> its = new TreeSet<>();
    DomainNodes.of(health, quarantine).forEach(each -> its.add(each.node()));
    Set<NodeId> otherwise =
        health.standing(quarantine.cluster()).stream()
            .filter(each -> its.contains(each.node()) && !quarantine.id().equals(each.domain()))
            .map(Quarantine::node)
            .collect(Collectors.toCollection(TreeSet::new));
    List<Node> nodes = its.isEmpty() ? List.of() : inventory.inService(its);
    return new Scope(
        names(nodes),
        names(nodes.stream().filter(node -> otherwise.contains(node.id())).toList()),
        jobs.on(quarantine.cluster(), its));
  }

  private static List<String> names(List<Node> nodes) {
    return nodes.stream().map(Node::name).sorted().limit(MOST_NAMED).toList();
  }
}
