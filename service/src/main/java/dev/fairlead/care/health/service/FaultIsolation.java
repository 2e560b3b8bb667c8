package dev.fairlead.care.health.service;

import dev.fairlead.care.health.Breaker;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.quarantine.QuarantineId;
import dev.fairlead.fleet.cluster.FleetSize;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdSource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Writes quarantines and the states of their nodes, in the caller's transaction. */
@Component
public class FaultIsolation {
  private final HealthStore health;
  private final InventoryStore inventory;
  private final IdSource ids;

  public FaultIsolation(HealthStore health, InventoryStore inventory, IdSource ids) {
    this.health = health;
    this.inventory = inventory;
    this.ids = ids;
  }

  /** Returns the quarantines of the cluster, valid until the caller's transaction ends. */
  public Round round(ClusterId cluster, Instant now) {
    return new Round(cluster, now);
  }

  /**
   * Quarantines of one cluster, with those that the current transaction adds. They are read once,
   * on first use.
   */
  public final class Round {
    private final ClusterId cluster;
    private final Instant now;
    private @Nullable List<Quarantine> standing;
    private @Nullable Map<NodeId, Boolean> automatic;
    private @Nullable FleetSize size;

    /** Counts by pool name. The empty name has the count of the fleet. */
    private final Map<String, HealthStore.GpuNodes> counts = new TreeMap<>();

    Round(ClusterId cluster, Instant now) {
      this.cluster = cluster;
      this.now = now;
    }

    /** Returns whether the incident has an active quarantine of its scope or of the whole node. */
    boolean isolates(Node node, Incident incident) {
      String gpu = incident.excludes(node);
      return standing().stream()
          .filter(q -> incident.id().equals(q.incident()))
          .anyMatch(q -> q.ofNode() || gpu != null && gpu.equals(q.gpu()));
    }

    /**
     * Quarantines the node of a fault, or its device alone, unless a circuit breaker prevents it.
     * The quarantine of a device extends to the node if the fault does. The returned incident
     * records the result.
     */
    public Incident isolate(Node node, Incident incident) {
      boolean gpus = hasGpus(node);
      String stopped = of(node).isEmpty() ? stopped(node, gpus) : "";
      if (!stopped.isEmpty()) {
        return incident.isolation(stopped);
      }
      Incident shown = incident.isolated(node);
      health.write(shown);
      if (of(node).stream().allMatch(q -> q.owner() == null)
          && automatic().put(node.id(), gpus) == null
          && gpus) {
        counts.replaceAll(
            (pool, count) -> pool.isEmpty() || pool.equals(pool(node)) ? count.oneMore() : count);
      }
      add(node, quarantine(node, shown));
      return shown;
    }

    /**
     * Explains which circuit breaker stops the isolation. Returns an empty string if no limit is
     * exceeded.
     */
    private String stopped(Node node, boolean gpus) {
      Breaker own = Breaker.of(Breaker.Scope.CLUSTER);
      if (own.stops(isolated(gpus), all(gpus))) {
        String kind = (gpus ? "GPU nodes" : "nodes without GPUs") + " of the cluster";
        return own.text(isolated(gpus), all(gpus), kind);
      }
      if (!gpus) {
        return "";
      }
      String pool = pool(node);
      String inPool =
          pool.isEmpty() ? "" : stopped(Breaker.Scope.POOL, pool, "GPU nodes of pool " + pool);
      return inPool.isEmpty() ? stopped(Breaker.Scope.FLEET, "", "GPU nodes of the fleet") : inPool;
    }

    private String stopped(Breaker.Scope scope, String pool, String kind) {
      HealthStore.GpuNodes count =
          counts.computeIfAbsent(pool, of -> health.isolated(of.isEmpty() ? null : of));
      Breaker breaker = Breaker.of(scope);
      return breaker.stops(count.isolated(), count.all())
          ? breaker.text(count.isolated(), count.all(), kind)
          : "";
    }

    List<Quarantine> of(Node node) {
      return standing().stream().filter(q -> q.node().equals(node.id())).toList();
    }

    private void add(Node node, Quarantine quarantine) {
      String gpu = quarantine.gpu();
      standing().removeIf(q -> q.id().equals(quarantine.id()));
      standing().add(quarantine);
      health.write(quarantine);
      if (gpu == null) {
        inventory.order(node.id(), NodeOrder.QUARANTINE);
      } else {
        inventory.quarantine(node.id(), gpu);
      }
    }

    private Quarantine quarantine(Node node, Incident incident) {
      return standing().stream()
          .filter(q -> incident.id().equals(q.incident()))
          .findFirst()
          .orElseGet(() ->
              quarantine(node, incident.id(), incident.text(), null, now.plus(Quarantine.UNHELD)))
          .of(incident.excludes(node));
    }

    private Quarantine quarantine(
        Node node,
        @Nullable IncidentId incident,
        String reason,
        @Nullable String owner,
        @Nullable Instant until) {
      return Quarantine.begun(
              new QuarantineId(ids.next()), cluster, node.id(), reason, owner, now, until)
          .withIncident(incident);
    }

    private List<Quarantine> standing() {
      if (standing == null) {
        standing = new ArrayList<>(health.standing(cluster));
      }
      return standing;
    }

    private int isolated(boolean gpus) {
      return (int) automatic().values().stream().filter(has -> has == gpus).count();
    }

    /**
     * Returns the nodes in service that only automatic quarantines keep out of service, with
     * whether they have GPUs. The circuit breaker limits their number.
     */
    private Map<NodeId, Boolean> automatic() {
      if (automatic == null) {
        Set<NodeId> unheld = standing().stream().map(Quarantine::node).collect(Collectors.toSet());
        standing().stream()
            .filter(q -> q.owner() != null)
            .map(Quarantine::node)
            .forEach(unheld::remove);
        automatic = new TreeMap<>();
        for (Node node : inventory.inService(unheld)) {
          automatic.put(node.id(), hasGpus(node));
        }
      }
      return automatic;
    }

    private int all(boolean gpus) {
      if (size == null) {
        size = inventory.size(cluster);
      }
      return gpus ? size.gpuNodes() : size.nodes() - size.gpuNodes();
    }
  }

  private static String pool(Node node) {
    NodePool pool = node.pool();
    return pool == null ? "" : pool.name();
  }

  private static boolean hasGpus(Node node) {
    return !node.gpus().isEmpty();
  }

  /**
   * Quarantines the node for an operator. Adopts the quarantines of the node, except quarantines of
   * other operators and domains. Open incidents that isolated nothing get a quarantine now.
   */
  void hold(Node node, String operator, String reason, @Nullable Instant until, Instant now) {
    Round round = round(node.cluster(), now);
    for (Incident incident : health.open(List.of(node.id()))) {
      if (!round.isolates(node, incident)) {
        health.write(incident.isolated(node));
        round.add(node, round.quarantine(node, incident));
      }
    }
    List<Quarantine> own =
        round.of(node).stream()
            .filter(q -> q.domain() == null)
            .filter(q -> q.owner() == null || operator.equals(q.owner()))
            .toList();
    own.forEach(q -> health.write(q.held(operator, reason, until)));
    if (own.stream().noneMatch(Quarantine::ofNode)) {
      round.add(node, round.quarantine(node, null, reason, operator, until));
    }
  }

  List<Quarantine> of(Node node) {
    return health.standing(node.cluster()).stream()
        .filter(q -> q.node().equals(node.id()))
        .toList();
  }
}
