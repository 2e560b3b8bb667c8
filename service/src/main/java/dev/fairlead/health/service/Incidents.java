package dev.fairlead.health.service;

import dev.fairlead.cluster.FleetNames;
import dev.fairlead.cluster.InventoryStore;
import dev.fairlead.health.HealthStore;
import dev.fairlead.health.Incident;
import dev.fairlead.health.IncidentId;
import dev.fairlead.health.Quarantine;
import dev.fairlead.node.NodeId;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reads incidents with their quarantines. */
@Service
public class Incidents {
  private final HealthStore health;
  private final InventoryStore inventory;

  public Incidents(HealthStore health, InventoryStore inventory) {
    this.health = health;
    this.inventory = inventory;
  }

  /**
   * An incident as people read it.
   *
   * @param cluster name of it
   * @param quarantine the newest, null when nothing was isolated
   */
  public record View(Incident incident, String cluster, @Nullable Quarantine quarantine) {}

  /**
   * @throws Refusal NOT_FOUND
   */
  public View one(IncidentId id) {
    return health
        .incident(id)
        .map(i -> views(List.of(i)).getFirst())
        .orElseThrow(
            () -> new Refusal(ProblemCode.NOT_FOUND, "There is no incident " + id.text() + "."));
  }

  /**
   * Newest first.
   *
   * @param node id or name, null for all nodes
   * @throws Refusal NOT_FOUND, INVALID_PARAMETER for a name of several nodes
   */
  public List<View> list(@Nullable String node, @Nullable IncidentId before, int limit) {
    NodeId only = node == null ? null : FleetNames.node(inventory, node).id();
    return views(health.incidents(only, before, limit));
  }

  private List<View> views(List<Incident> incidents) {
    List<Quarantine> quarantines =
        health.quarantinesOf(incidents.stream().map(Incident::id).toList());
    return incidents.stream()
        .map(i ->
            new View(
                i,
                inventory.nameOf(i.cluster()).orElse(i.cluster().text()),
                newest(quarantines, i).orElse(null)))
        .toList();
  }

  private static Optional<Quarantine> newest(List<Quarantine> quarantines, Incident incident) {
    return quarantines.stream()
        .filter(q -> incident.id().equals(q.incident()))
        .reduce((older, newer) -> newer);
  }
}
