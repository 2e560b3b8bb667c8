package dev.fairlead.care.health.service;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.HealthRecord;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.Judgement;
import dev.fairlead.care.health.NodeSignTable;
import dev.fairlead.care.health.Recovery;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.quarantine.Releases;
import dev.fairlead.care.health.service.repair.HealthAudit;
import dev.fairlead.care.health.service.spi.NodeFaults;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Records node conditions as health events, in the caller's transaction. A condition is one event
 * until it clears. The caller repeats the condition while a circuit breaker stops its isolation.
 */
@Component
public class ConditionIntake implements NodeFaults {
  /** Delay before the caller repeats a condition of a node that is not in the inventory. */
  private static final Duration ABSENT = Duration.ofMinutes(5);

  /** Driver code of incidents from conditions. */
  private static final int NO_XID = 0;

  private final InventoryStore inventory;

  private final HealthStore health;
  private final FaultIsolation isolation;
  private final IdSource ids;
  private final HealthAudit audit;

  public ConditionIntake(
      InventoryStore inventory,
      HealthStore health,
      FaultIsolation isolation,
      IdSource ids,
      HealthAudit audit) {
    this.inventory = inventory;
    this.health = health;
    this.isolation = isolation;
    this.ids = ids;
    this.audit = audit;
  }

  @Override
  public Map<NodeFault, Instant> take(ClusterId cluster, List<NodeFault> shown, Instant now) {
    health.enter(cluster);
    Map<String, Node> nodes = new HashMap<>();
    Set<String> names = new TreeSet<>();
    shown.forEach(s -> names.add(s.node()));
    inventory.named(cluster, names).forEach(n -> nodes.put(n.name(), n));
    return new Batch(cluster, nodes, shown, now).taken(shown);
  }

  /** Conditions of one cluster in one pass. */
  private final class Batch {
    private final ClusterId cluster;
    private final Map<String, Node> nodes;
    private final Instant now;
    private final Set<String> known;
    private final OpenIncidents open;
    private final FaultIsolation.Round round;
    private final List<HealthRecord> stored = new ArrayList<>();

    Batch(ClusterId cluster, Map<String, Node> nodes, List<NodeFault> shown, Instant now) {
      this.cluster = cluster;
      this.nodes = nodes;
      this.now = now;
      this.known = health.known(cluster, shown.stream().map(NodeFault::id).toList());
      this.open = new OpenIncidents(health.open(nodes.values().stream().map(Node::id).toList()));
      this.round = isolation.round(cluster, now);
    }

    Map<NodeFault, Instant> taken(List<NodeFault> shown) {
      Map<NodeFault, Instant> settled = new HashMap<>();
      for (NodeFault one : shown) {
        Node node = nodes.get(one.node());
        if (node == null) {
          settled.put(one, now.plus(ABSENT));
        } else if (settled(one, node)) {
          settled.put(one, Instant.MAX);
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
      return incident == null || round.isolates(node, incident);
    }

    private HealthEvent event(NodeFault shown, Judgement judgement) {
      Instant since = shown.condition().since();
      Instant at = since.isAfter(now) ? now : since;
      return new HealthEvent(shown.id(), at, shown.node(), null, null, NO_XID, judgement.cause());
    }

    /**
     * Returns the incident of the condition. Returns null if an operator released the node, or if
     * the incident has ended.
     */
    private @Nullable Incident incident(
        NodeFault shown, Node node, Judgement judgement, boolean first) {
      HealthEvent event = event(shown, judgement);
      Incident before = open.of(node, null);
      if (before == null && (first ? released(shown, node) : !endedByItself(node))) {
        return null;
      }
      Incident joined =
          before == null
              ? Incident.opened(new IncidentId(ids.next()), node, null, event, judgement)
              : first ? before.joined(event, judgement, false) : before;
      Incident isolated = round.isolates(node, joined) ? joined : round.isolate(node, joined);
      if (!isolated.equals(before)) {
        open.put(isolated);
      }
      return isolated;
    }

    /**
     * Returns whether a condition that is not stored, or no longer stored, existed at the last
     * release of the machine. Incidents of the machine's GPUs do not count.
     */
    private boolean released(NodeFault shown, Node node) {
      Instant ended = health.lastOfMachine(node.id()).map(Incident::endedAt).orElse(null);
      return ended != null && !shown.condition().since().isAfter(ended) && !endedByItself(node);
    }

    /**
     * Returns whether the last incident of the machine ended without an operator. If so, the
     * condition has returned.
     */
    private boolean endedByItself(Node node) {
      Incident last = health.lastOfMachine(node.id()).orElse(null);
      return last != null
          && (last.cleared()
              || health.quarantinesOf(List.of(last.id())).stream()
                  .anyMatch(q ->
                      q.releasedAt() != null
                          && q.until() != null
                          && !q.releasedAt().isBefore(q.until())));
    }
  }

  @Override
  public Set<String> open(ClusterId cluster) {
    return health.open(cluster).stream()
        .filter(Incident::clears)
        .map(Incident::nodeName)
        .collect(Collectors.toSet());
  }

  @Override
  public Map<String, Instant> clear(ClusterId cluster, Map<String, Instant> well, Instant now) {
    health.enter(cluster);
    Map<String, Instant> later = new HashMap<>();
    List<Incident> over = new ArrayList<>();
    List<NodeId> nodes = inventory.named(cluster, well.keySet()).stream().map(Node::id).toList();
    for (Incident incident : health.open(nodes)) {
      Instant since = well.get(incident.nodeName());
      if (since != null && incident.clears()) {
        List<Incident> before = health.incidents(incident.node(), null, Recovery.INCIDENTS);
        Instant end = since.plus(Recovery.after(before, now));
        if (now.isBefore(end)) {
          later.put(incident.nodeName(), end);
        } else {
          over.add(incident);
        }
      }
    }
    end(cluster, over, now);
    return later;
  }

  private void end(ClusterId cluster, List<Incident> over, Instant now) {
    if (over.isEmpty()) {
      return;
    }
    List<Quarantine> standing =
        health.quarantinesOf(over.stream().map(Incident::id).toList()).stream()
            .filter(q -> q.releasedAt() == null)
            .toList();
    over.stream()
        .filter(i -> standing.stream().noneMatch(q -> held(q, i)))
        .forEach(i -> health.write(i.isolation(Incident.CLEARED).ended(now)));
    List<Quarantine> ending = standing.stream().filter(q -> q.owner() == null).toList();
    SortedMap<NodeId, List<Quarantine>> before = standing(cluster);
    Releases.end(health, inventory, ending, q -> Incident.CLEARED, now);
    SortedMap<NodeId, List<Quarantine>> after = standing(cluster);
    ending.stream()
        .map(Quarantine::node)
        .distinct()
        .forEach(node ->
            audit.recovered(
                cluster,
                node,
                before.getOrDefault(node, List.of()),
                after.getOrDefault(node, List.of())));
  }

  private SortedMap<NodeId, List<Quarantine>> standing(ClusterId cluster) {
    return health.standing(cluster).stream()
        .collect(Collectors.groupingBy(Quarantine::node, TreeMap::new, Collectors.toList()));
  }

  private static boolean held(Quarantine quarantine, Incident incident) {
    return quarantine.owner() != null && incident.id().equals(quarantine.incident());
  }
}
