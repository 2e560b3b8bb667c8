package dev.fairlead.care.health.service;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.Hang;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.quarantine.UnknownHolder;
import dev.fairlead.care.health.service.spi.DeviceHolders;
import dev.fairlead.care.health.service.spi.DeviceHolders.Candidate;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reads incidents: faults with their quarantines, and hangs. */
@Service
public class Incidents {
  private final HealthStore health;
  private final InventoryStore inventory;
  private final DeviceHolders holders;
  private final UnknownHolder policy;

  public Incidents(
      HealthStore health, InventoryStore inventory, DeviceHolders holders, UnknownHolder policy) {
    this.health = health;
    this.inventory = inventory;
    this.holders = holders;
    this.policy = policy;
  }

  /** An incident for the API. */
  public sealed interface View {
    IncidentId id();

    /** Returns the name of the cluster. */
    String cluster();

    /**
     * A fault of a device or a machine.
     *
     * @param quarantine the newest quarantine, null if the fault isolated nothing
     * @param question to an operator, null if the holder of the device is known or decided on
     */
    record Fault(
        Incident incident,
        String cluster,
        @Nullable Quarantine quarantine,
        @Nullable Question question)
        implements View {
      @Override
      public IncidentId id() {
        return incident.id();
      }
    }

    /** An attempt that stopped reporting progress. */
    record Silent(Hang hang, String cluster) implements View {
      @Override
      public IncidentId id() {
        return hang.id();
      }
    }
  }

  /**
   * Candidates for the unknown holder of a faulty device.
   *
   * @param until an operator may decide: drain the node, cancel a job, or hold the quarantine
   * @param then applies without a decision
   */
  public record Question(List<Candidate> candidates, Instant until, UnknownHolder.Then then) {}

  /**
   * Returns an incident by id.
   *
   * @throws Refusal NOT_FOUND
   */
  public View one(IncidentId id) {
    List<View> found = new ArrayList<>(faults(health.incident(id).stream().toList()));
    found.addAll(silent(health.hang(id).stream().toList()));
    return found.stream()
        .findFirst()
        .orElseThrow(
            () -> new Refusal(ProblemCode.NOT_FOUND, "There is no incident " + id.text() + "."));
  }

  /**
   * Lists incidents, newest first.
   *
   * @param node id or name, null for all nodes
   * @param open whether to list only those that have not ended, which excludes hangs because a hang
   *     ends when it is detected
   * @param before only older ones, null for the newest
   * @throws Refusal NOT_FOUND, INVALID_PARAMETER for a name of several nodes
   */
  public List<View> list(
      @Nullable String node, boolean open, @Nullable IncidentId before, int limit) {
    NodeId only = node == null ? null : FleetNames.node(inventory, node).id();
    if (open) {
      return faults(health.openIncidents(only, before, limit));
    }
    List<View> found = new ArrayList<>(faults(health.incidents(only, before, limit)));
    found.addAll(silent(health.hangs(only, before, limit)));
    return found.stream().sorted(Comparator.comparing(View::id).reversed()).limit(limit).toList();
  }

  private List<View> faults(List<Incident> incidents) {
    List<Quarantine> quarantines =
        health.quarantinesOf(incidents.stream().map(Incident::id).toList());
    return incidents.stream()
        .<View>map(i -> fault(i, newest(quarantines, i).orElse(null)))
        .toList();
  }

  private View.Fault fault(Incident incident, @Nullable Quarantine quarantine) {
    return new View.Fault(
        incident, name(incident.cluster()), quarantine, question(incident, quarantine));
  }

  private @Nullable Question question(Incident incident, @Nullable Quarantine quarantine) {
    if (incident.scope() != FaultScope.GPU
        || quarantine == null
        || !quarantine.ofNode()
        || quarantine.owner() != null
        || quarantine.releasedAt() != null) {
      return null;
    }
    List<Candidate> candidates = holders.candidates(incident);
    return candidates.isEmpty()
        ? null
        : new Question(candidates, policy.deadline(quarantine), policy.then());
  }

  private List<View> silent(List<Hang> hangs) {
    return hangs.stream().<View>map(h -> new View.Silent(h, name(h.cluster()))).toList();
  }

  private String name(ClusterId cluster) {
    return inventory.nameOf(cluster).orElse(cluster.text());
  }

  private static Optional<Quarantine> newest(List<Quarantine> quarantines, Incident incident) {
    return quarantines.stream()
        .filter(q -> incident.id().equals(q.incident()))
        .reduce((older, newer) -> newer);
  }
}
