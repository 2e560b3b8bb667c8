package dev.fairlead.health;

import dev.fairlead.cluster.InventoryStore;
import dev.fairlead.health.service.Isolation;
import dev.fairlead.health.service.OpenIncidents;
import dev.fairlead.identity.ClusterId;
import dev.fairlead.identity.IdSource;
import dev.fairlead.node.Node;
import dev.fairlead.node.NodeCondition;
import dev.fairlead.node.NodeId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Takes in what conditions of nodes say, in the caller's transaction. A condition is one event as
 * long as it stays; it is asked again for while too many nodes are out of use.
 */
@Component
public class ConditionIntake {
  /** What incidents of conditions have in place of a code of the driver. */
  public static final int NO_XID = 0;

  private final InventoryStore inventory;
  private final HealthStore health;
  private final Isolation isolation;
  private final IdSource ids;

  public ConditionIntake(
      InventoryStore inventory, HealthStore health, Isolation isolation, IdSource ids) {
    this.inventory = inventory;
    this.health = health;
    this.isolation = isolation;
    this.ids = ids;
  }

  /**
   * A condition that says that a machine is sick.
   *
   * @param node name of the machine
   */
  public record NodeFault(String node, NodeCondition condition) {
    /** The same as long as the condition stays. */
    String id() {
      return "condition/" + node + "/" + condition.type() + "/" + condition.since();
    }
  }

  /** Stores and judges them; those that need not be asked for again. */
  public Set<NodeFault> take(ClusterId cluster, List<NodeFault> shown, Instant now) {
    health.enter(cluster);
    Map<String, Node> nodes = new HashMap<>();
    Set<String> names = new TreeSet<>();
    shown.forEach(s -> names.add(s.node()));
    inventory.named(cluster, names).forEach(n -> nodes.put(n.name(), n));
    return new Batch(cluster, nodes, shown, now).taken(shown);
  }

  /** One turn of one cluster. */
  private final class Batch {
    private final ClusterId cluster;
    private final Map<String, Node> nodes;
    private final Instant now;
    private final Set<String> known;
    private final OpenIncidents open;
    private final Isolation.Round round;
    private final List<HealthRecord> stored = new ArrayList<>();

    Batch(ClusterId cluster, Map<String, Node> nodes, List<NodeFault> shown, Instant now) {
      this.cluster = cluster;
      this.nodes = nodes;
      this.now = now;
      this.known = health.known(cluster, shown.stream().map(NodeFault::id).toList());
      this.open = new OpenIncidents(health.open(nodes.values().stream().map(Node::id).toList()));
      this.round = isolation.round(cluster, now);
    }

    Set<NodeFault> taken(List<NodeFault> shown) {
      Set<NodeFault> settled = new HashSet<>();
      for (NodeFault one : shown) {
        Node node = nodes.get(one.node());
        if (node != null && settled(one, node)) {
          settled.add(one);
        }
      }
      open.changed().forEach(health::write);
      if (!stored.isEmpty()) {
        health.insert(cluster, stored, now);
      }
      return settled;
    }

    private boolean settled(NodeFault shown, Node node) {
      Judgement judgement =
          NodeSignTable.CURRENT
              .find(shown.condition())
              .orElseThrow(() -> new IllegalArgumentException(shown + " is not in the table"))
              .judgement(shown.condition());
      boolean first = !known.contains(shown.id());
      Incident incident = incident(shown, node, judgement, first);
      if (first) {
        IncidentId id = incident == null ? null : incident.id();
        stored.add(new HealthRecord(event(shown, judgement), node.id(), judgement.verdict(), id));
      }
      return incident == null || round.isolates(incident.id());
    }

    private HealthEvent event(NodeFault shown, Judgement judgement) {
      Instant since = shown.condition().since();
      Instant at = since.isAfter(now) ? now : since;
      return new HealthEvent(shown.id(), at, shown.node(), null, null, NO_XID, judgement.cause());
    }

    /** Null for one that somebody released its node from, and for one that is over. */
    private @Nullable Incident incident(
        NodeFault shown, Node node, Judgement judgement, boolean first) {
      HealthEvent event = event(shown, judgement);
      Incident before = open.of(node, null);
      if (before == null && (!first || released(event, node)) && !timeWasOver(node)) {
        return null;
      }
      Incident joined =
          before == null
              ? Incident.opened(new IncidentId(ids.next()), node, null, event, judgement)
              : first ? before.joined(event, judgement, false) : before;
      Incident isolated = round.isolates(joined.id()) ? joined : round.isolate(node, joined);
      if (!isolated.equals(before)) {
        open.put(isolated);
      }
      return isolated;
    }

    private boolean released(HealthEvent event, Node node) {
      Instant released = health.lastReleased(cluster, node.id());
      return released != null && !event.at().isAfter(released);
    }

    /** Whether the last quarantine of the node ended by its time: the condition stands still. */
    private boolean timeWasOver(Node node) {
      List<IncidentId> last =
          health.incidents(node.id(), null, 1).stream().map(Incident::id).toList();
      return health.quarantinesOf(last).stream()
          .anyMatch(q ->
              q.releasedAt() != null && q.until() != null && !q.releasedAt().isBefore(q.until()));
    }
  }

  /**
   * Ends incidents of conditions that these nodes do not show any more, unless the table says that
   * the fault outlives the condition. What an operator holds stays.
   *
   * @param isolated nodes of which a quarantine stands
   * @param left names of others that showed one
   * @param sick names of nodes that show one still
   */
  public void clear(
      ClusterId cluster,
      Collection<NodeId> isolated,
      Set<String> left,
      Set<String> sick,
      Instant now) {
    health.enter(cluster);
    Set<NodeId> nodes = new TreeSet<>(isolated);
    inventory.named(cluster, left).forEach(n -> nodes.add(n.id()));
    List<Incident> over =
        health.open(nodes).stream()
            .filter(i -> i.xid() == NO_XID && i.gpu() == null && !sick.contains(i.nodeName()))
            .filter(NodeSignTable.CURRENT::clears)
            .toList();
    List<Quarantine> standing =
        health.quarantinesOf(over.stream().map(Incident::id).toList()).stream()
            .filter(q -> q.releasedAt() == null)
            .toList();
    Releases.end(
        health,
        inventory,
        standing.stream().filter(q -> q.owner() == null).toList(),
        q -> "its cluster shows the condition no more",
        now);
    over.stream()
        .filter(i -> standing.stream().noneMatch(q -> i.id().equals(q.incident())))
        .forEach(i -> health.write(i.ended(now)));
  }
}
