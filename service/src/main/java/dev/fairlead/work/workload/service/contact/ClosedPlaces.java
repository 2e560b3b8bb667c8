package dev.fairlead.work.workload.service.contact;

import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.PlaceNotes;
import dev.fairlead.care.health.quarantine.DomainNodes;
import dev.fairlead.care.health.quarantine.DomainQuarantine;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.quarantine.Releases;
import dev.fairlead.care.health.quarantine.UnknownHolder;
import dev.fairlead.care.health.repair.RepairStore;
import dev.fairlead.care.health.repair.RepairTask;
import dev.fairlead.care.health.repair.RepairTaskId;
import dev.fairlead.care.health.service.spi.NodeFaults;
import dev.fairlead.care.reservation.AdvanceReservationStore;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.AnnouncedNotice;
import dev.fairlead.fleet.node.CordonedNode;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.fleet.operation.DrainScope;
import dev.fairlead.fleet.operation.OperationStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.workload.judgement.OpenFaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Nodes and domains of a cluster that are out of service: by cordons, drains, quarantines, windows,
 * advance reservations and announced notices.
 */
@Component
public class ClosedPlaces {
  private static final Logger LOG = LoggerFactory.getLogger(ClosedPlaces.class);

  /** The maximum age of a copy, so that a lost note has a bounded effect. */
  private static final Duration READ = Duration.ofMinutes(1);

  private final Transactions transactions;
  private final PlaceNotes notes;
  private final InventoryStore inventory;
  private final OperationStore operations;
  private final HealthStore health;
  private final RepairStore repairs;
  private final NodeFaults conditions;
  private final UnknownHolder holders;
  private final PoolStore pools;
  private final AdvanceReservationStore advanceReservations;
  private final IdSource ids;

  public ClosedPlaces(
      Transactions transactions,
      PlaceNotes notes,
      InventoryStore inventory,
      OperationStore operations,
      HealthStore health,
      RepairStore repairs,
      PoolStore pools,
      AdvanceReservationStore advanceReservations,
      NodeFaults conditions,
      UnknownHolder holders,
      IdSource ids) {
    this.transactions = transactions;
    this.notes = notes;
    this.inventory = inventory;
    this.operations = operations;
    this.health = health;
    this.repairs = repairs;
    this.conditions = conditions;
    this.holders = holders;
    this.pools = pools;
    this.advanceReservations = advanceReservations;
    this.ids = ids;
  }

  /** Accepts faults that close nodes automatically. */
  NodeFaults conditions() {
    return conditions;
  }

  WindowWatch windows(ClusterId cluster) {
    return new WindowWatch(cluster, inventory, pools, advanceReservations);
  }

  /**
   * All closed places.
   *
   * @param isolated incidents with an active quarantine
   * @param quarantined nodes with a quarantine of the whole node, including those of an operator
   * @param domains quarantined topology domains
   * @param until expiry of the first quarantine that ends automatically, null if none
   * @param announced notices that systems outside the cluster announced
   * @param released end of the latest quarantine: its node waits for a report, even if the
   *     quarantine began and ended between two checks
   */
  @RecordBuilder
  record Closed(
      List<CordonedNode> cordons,
      DrainScope drained,
      OpenFaults isolated,
      SortedSet<NodeId> quarantined,
      List<DomainQuarantine> domains,
      List<AnnouncedNotice> announced,
      @Nullable Instant until,
      @Nullable Instant released) {
    static final Closed NOTHING =
        ClosedPlacesClosedBuilder.builder()
            .cordons(List.of())
            .drained(DrainScope.NOTHING)
            .isolated(OpenFaults.NOTHING)
            .quarantined(Collections.emptySortedSet())
            .domains(List.of())
            .announced(List.of())
            .until(null)
            .released(null)
            .build();

    /** Returns whether a quarantine has expired. */
    boolean due(Instant now) {
      return until != null && !now.isBefore(until);
    }
  }

  /**
   * The closed places in one view of the database.
   *
   * @param position position of that view in the notes
   * @param read time of the read
   */
  record Known(Closed closed, PlaceNotes.Position position, Instant read) {}

  /**
   * Returns all closed places. They are read again only after a change.
   *
   * @param before result of the last call for this cluster, null if none
   */
  Known of(ClusterId cluster, @Nullable Known before, Instant now) {
    return transactions.readForAllTenants(() -> {
      PlaceNotes.Delta delta = notes.since(before == null ? null : before.position());
      return before == null || delta.changed() || !now.isBefore(before.read().plus(READ))
          ? new Known(read(cluster, now), delta.position(), now)
          : new Known(before.closed(), delta.position(), before.read());
    });
  }

  private Closed read(ClusterId cluster, Instant now) {
    SortedSet<NodeId> nodes = new TreeSet<>();
    Set<IncidentId> undecided = new TreeSet<>();
    Instant until = null;
    List<Quarantine> standing = health.standing(cluster);
    for (Quarantine quarantine : standing) {
      IncidentId incident = quarantine.incident();
      if (quarantine.ofNode()) {
        nodes.add(quarantine.node());
      }
      if (incident != null && holders.stops(quarantine, now)) {
        undecided.add(incident);
      }
      until = first(until, quarantine.until());
    }
    List<DomainQuarantine> domains = health.domains(cluster);
    for (DomainQuarantine domain : domains) {
      until = first(until, domain.until());
    }
    return ClosedPlacesClosedBuilder.builder()
        .cordons(inventory.cordons(cluster))
        .drained(DrainScope.of(cluster, operations.running()))
        .isolated(
            standing.isEmpty()
                ? OpenFaults.NOTHING
                : OpenFaults.of(health.isolating(cluster), undecided)
                    .with(repairs.poweredOff(cluster)))
        .quarantined(Collections.unmodifiableSortedSet(nodes))
        .domains(domains)
        .announced(health.announced(cluster, now.minus(AnnouncedNotice.LASTS)))
        .until(until)
        .released(health.lastReleased(cluster, null))
        .build();
  }

  private static @Nullable Instant first(@Nullable Instant one, @Nullable Instant other) {
    return one == null || other != null && other.isBefore(one) ? other : one;
  }

  /** Handles the reports of the cluster, in the open transaction. */
  void report(ClusterId cluster, List<NodeReport> reports, Closed closed, Instant now) {
    if (closed.domains().isEmpty()) { // the next check sees later reservations
      int _ = inventory.report(cluster, reports);
    } else {
      DomainNodes.report(health, inventory, cluster, reports, ids, now);
    }
  }

  /** The cluster with the settings of operators. */
  Optional<Cluster> cluster(ClusterId cluster) {
    return inventory.cluster(cluster);
  }

  /** Nodes of all clusters without retired ones. Reads only the changes since the last call. */
  List<Node> nodes() {
    return inventory.fleet().nodes();
  }

  /**
   * Causes of the quarantines of nodes, in the form of their taint. A fault before an operator's
   * reason.
   */
  SortedMap<NodeId, String> causes(ClusterId cluster) {
    SortedMap<NodeId, String> causes = new TreeMap<>();
    for (Quarantine each : health.standing(cluster)) {
      boolean fault = each.incident() != null;
      if (each.ofNode() && (fault || !causes.containsKey(each.node()))) {
        causes.put(each.node(), each.taintValue());
      }
    }
    return causes;
  }

  /** Causes of the quarantines of single GPUs by their UUIDs, in the form of their taint. */
  SortedMap<NodeId, SortedMap<String, String>> gpuCauses(ClusterId cluster) {
    SortedMap<NodeId, SortedMap<String, String>> causes = new TreeMap<>();
    for (Quarantine each : health.standing(cluster)) {
      if (each.gpu() != null) {
        causes
            .computeIfAbsent(each.node(), node -> new TreeMap<>())
            .merge(each.gpu(), each.taintValue(), (a, b) -> each.incident() == null ? a : b);
      }
    }
    return causes;
  }

  /** Records, in the open transaction, that a machine is alive although it should be off. */
  void contradict(ClusterId cluster, RepairTaskId task, Instant now) {
    health.enter(cluster);
    repairs.poweredOff(cluster).stream()
        .filter(each -> each.id().equals(task))
        .forEach(each -> {
          RepairTask next = each.contradicted(now);
          repairs.update(next);
          LOG.warn("task={} node={} {}", task.text(), next.nodeName(), next.told());
        });
  }

  /** Ends expired quarantines, in the open transaction. */
  void release(ClusterId cluster, Instant now) {
    health.enter(cluster);
    List<DomainQuarantine> domains =
        health.domains(cluster).stream().filter(d -> d.due(now)).toList();
    DomainNodes.end(health, inventory, domains, DomainQuarantine::over, now);
    Releases.end(
        health,
        inventory,
        health.standing(cluster).stream().filter(q -> q.domain() == null && q.due(now)).toList(),
        Quarantine::over,
        now);
  }
}
