package dev.fairlead.care.health.service;

import static java.util.Objects.requireNonNull;

import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.quarantine.Releases;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Applies the decisions of operators on the health of a node. */
@Service
public class QuarantineCommands {
  private final Transactions transactions;
  private final InventoryStore inventory;
  private final HealthStore health;
  private final FaultIsolation isolation;
  private final AuditLog audit;
  private final InstantSource clock;

  public QuarantineCommands(
      Transactions transactions,
      InventoryStore inventory,
      HealthStore health,
      FaultIsolation isolation,
      AuditLog audit,
      InstantSource clock) {
    this.transactions = transactions;
    this.inventory = inventory;
    this.health = health;
    this.isolation = isolation;
    this.audit = audit;
    this.clock = clock;
  }

  /**
   * Quarantines the node until it is released, regardless of reports of monitors. Adopts its
   * quarantines, except quarantines of other operators. The call shortens no quarantine, and no
   * circuit breaker stops it.
   *
   * @param text id or name of the node
   * @param lasts duration, null for no end
   * @throws Refusal FORBIDDEN, NOT_FOUND, INVALID_PARAMETER for a name of several nodes
   */
  public List<Quarantine> hold(
      Actor actor, String text, String reason, @Nullable Duration lasts, boolean validateOnly) {
    Permissions.require(actor, "quarantineNode");
    return transactions.call(() -> {
      Node node = entered(text);
      if (!validateOnly) {
        Instant now = clock.instant();
        List<Quarantine> before = isolation.of(node);
        isolation.hold(node, actor.name(), reason, lasts == null ? null : now.plus(lasts), now);
        audit(actor, "quarantineNode", node, reason, before);
      }
      return isolation.of(node);
    });
  }

  /**
   * Ends all quarantines and incidents of the node, also if its cluster no longer lists it.
   * Quarantines from domains end with the domain.
   *
   * @param text id or name of the node
   * @return the released quarantines, empty if the node had only incidents that isolated nothing
   * @throws Refusal FORBIDDEN, NOT_FOUND, INVALID_PARAMETER for a name of several nodes,
   *     ILLEGAL_STATE if it has neither
   */
  public List<Quarantine> release(Actor actor, String text, String reason, boolean validateOnly) {
    Permissions.require(actor, "releaseNode");
    return transactions.call(() -> {
      Node node = listedOrLeft(text);
      health.enter(node.cluster());
      List<Quarantine> all = isolation.of(node);
      List<Quarantine> standing = all.stream().filter(each -> each.domain() == null).toList();
      List<Incident> open = health.open(List.of(node.id()));
      if (standing.isEmpty() && open.isEmpty()) {
        throw new Refusal(ProblemCode.ILLEGAL_STATE, nothingToEnd(node, all));
      }
      if (!validateOnly) {
        Instant now = clock.instant();
        Releases.end(health, inventory, standing, ended -> actor.name() + ": " + reason, now);
        open.forEach(incident -> health.write(incident.ended(now)));
        audit(actor, "releaseNode", node, reason, standing);
      }
      return standing;
    });
  }

  private static String nothingToEnd(Node node, List<Quarantine> ofDomains) {
    return ofDomains.stream()
        .findFirst()
        .map(each ->
            "Node %s has no quarantine of its own and no open incident: %s. Release the domain (%s)."
                .formatted(node.name(), each.cause(), requireNonNull(each.domain()).text()))
        .orElseGet(() -> "Node " + node.name() + " is not quarantined and has no open incident.");
  }

  /**
   * Prefers nodes in service, because a retired machine in another cluster may have had the same
   * name.
   */
  private Node listedOrLeft(String text) {
    try {
      return FleetNames.node(inventory, text);
    } catch (Refusal refusal) {
      List<Node> left = refusal.code() == ProblemCode.NOT_FOUND ? left(text) : List.of();
      if (left.size() > 1) {
        throw new Refusal(
            ProblemCode.INVALID_PARAMETER,
            "Several removed nodes had the name "
                + text
                + ". Give the id of one: "
                + left.stream().map(node -> node.id().text()).collect(Collectors.joining(", "))
                + ".");
      }
      return left.stream().findFirst().orElseThrow(() -> refusal);
    }
  }

  /** Returns quarantined nodes that their clusters no longer list, by id or name. */
  private List<Node> left(String text) {
    return inventory.clusters().stream()
        .flatMap(cluster -> health.standing(cluster.id()).stream())
        .map(Quarantine::node)
        .distinct()
        .flatMap(id -> inventory.node(id).stream())
        .filter(n -> n.state() == NodeState.RETIRED)
        .filter(n -> n.name().equals(text) || n.id().text().equals(text))
        .toList();
  }

  private Node entered(String text) {
    Node node = FleetNames.node(inventory, text);
    health.enter(node.cluster());
    return node;
  }

  private void audit(
      Actor actor, String operation, Node node, String reason, List<Quarantine> before) {
    TreeMap<String, Object> detail = new TreeMap<>();
    detail.put("reason", reason);
    String subject = node.id().text();
    audit.append(
        new AuditRecord(actor, operation, subject, true, detail)
            .changed("quarantines/" + subject, before, isolation.of(node)));
  }
}
