package dev.fairlead.care.health.quarantine;

import dev.fairlead.care.health.Hang;
import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.HealthRecord;
import dev.fairlead.care.health.HealthRule;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.XidTable;
import dev.fairlead.fleet.node.AnnouncedNotice;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Stores health events, incidents and quarantines. Devices belong to the fleet, not to a tenant.
 */
public interface HealthStore {
  /**
   * Locks the events and quarantines of the cluster until the open transaction ends. Must be called
   * before any lock of a node.
   */
  void enter(ClusterId cluster);

  /** Returns the rows of the fault table that operators set, by code. */
  List<HealthRule> rules();

  /** Returns the current fault table. */
  default XidTable table() {
    return XidTable.SHIPPED.with(rules());
  }

  /**
   * Inserts or replaces a row of the table.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict unless the previous version is stored
   */
  void write(HealthRule rule);

  /** Returns the ids that are already stored. */
  Set<String> known(ClusterId cluster, Collection<String> ids);

  /** Returns the ids of the events that are within a stored {@link HealthRecord#burst}. */
  Set<String> merged(ClusterId cluster, Collection<HealthEvent> events);

  /**
   * Stores new events and ignores events with a stored id. A stored burst is extended, or ignored
   * if it already covers the event.
   *
   * @return ids of the events that were stored or extended
   */
  Set<String> insert(ClusterId cluster, List<HealthRecord> events, Instant receivedAt);

  /** Returns the nodes in service of the cluster with these names. */
  List<Place> places(ClusterId cluster, Collection<String> names);

  /**
   * A node, for events that take nothing out of service.
   *
   * @param faulty whether it has an open incident
   */
  record Place(NodeId node, String name, boolean faulty) {}

  /**
   * Returns the times of the newest events of the code on the device, from at most 1,000 rows,
   * unordered. A burst has its first and last time.
   */
  List<Instant> seen(ClusterId cluster, String gpu, int xid, Instant from, Instant to);

  /** Returns whether a fatal event after this time joined the incident. */
  boolean shown(IncidentId incident, Instant since);

  /** Returns the open incidents of these nodes, by id. */
  List<Incident> open(Collection<NodeId> nodes);

  /** Returns the open incidents of devices with these UUIDs, in any cluster, by id. */
  List<Incident> openOf(Collection<String> gpus);

  /** Returns the open incidents of the cluster, including nodes that left it, by id. */
  List<Incident> open(ClusterId cluster);

  Optional<Incident> incident(IncidentId id);

  /**
   * Returns the incidents, newest first.
   *
   * @param node null for all nodes
   * @param before only older incidents, null for the newest
   */
  List<Incident> incidents(@Nullable NodeId node, @Nullable IncidentId before, int limit);

  /** Returns incidents like {@link #incidents} that have not ended. */
  List<Incident> openIncidents(@Nullable NodeId node, @Nullable IncidentId before, int limit);

  /** Returns the newest incident of the node's machine. Incidents of its GPUs do not count. */
  Optional<Incident> lastOfMachine(NodeId node);

  /** Stores the hang as an ended incident. */
  void write(Hang hang);

  Optional<Hang> hang(IncidentId id);

  /** Returns hangs like {@link #incidents}. */
  List<Hang> hangs(@Nullable NodeId node, @Nullable IncidentId before, int limit);

  /** Returns the open incidents of the cluster that have an active quarantine, by id. */
  List<Incident> isolating(ClusterId cluster);

  /** Inserts the incident, or writes its mutable fields. */
  void write(Incident incident);

  /** Returns the quarantines of these incidents, active or not, by id. */
  List<Quarantine> quarantinesOf(Collection<IncidentId> incidents);

  /** Returns the active quarantines of the cluster, by id. */
  List<Quarantine> standing(ClusterId cluster);

  /**
   * Counts the nodes in service with GPUs, in all clusters.
   *
   * @param pool name of their pool, null for the whole fleet
   */
  GpuNodes isolated(@Nullable String pool);

  /**
   * Numbers of nodes.
   *
   * @param isolated nodes with a quarantine that no operator holds
   */
  record GpuNodes(int isolated, int all) {
    public GpuNodes oneMore() {
      return new GpuNodes(isolated + 1, all);
    }
  }

  /**
   * Returns the newest end of a quarantine, or for a node also of an incident, null if none ended.
   * For a node, ends as {@link Incident#CLEARED} or together with a domain do not count, so its
   * events are evaluated.
   *
   * @param node null for the quarantines of all nodes of the cluster
   */
  @Nullable Instant lastReleased(ClusterId cluster, @Nullable NodeId node);

  /**
   * Returns the newest release of each of these nodes by the rules of {@link #lastReleased}. Nodes
   * without a release after that time have no entry.
   */
  SortedMap<NodeId, Instant> released(Set<NodeId> nodes, Instant after);

  /** Inserts the quarantine, or writes its cause, its owner and its end. */
  default void write(Quarantine quarantine) {
    write(List.of(quarantine));
  }

  /** Writes all quarantines like {@link #write(Quarantine)}. */
  void write(Collection<Quarantine> quarantines);

  /** Returns the active domain quarantines of all clusters, by id. */
  List<DomainQuarantine> domains();

  /** Returns the active domain quarantines of the cluster, by id. */
  List<DomainQuarantine> domains(ClusterId cluster);

  /**
   * Returns the domain quarantines of the cluster, newest first.
   *
   * @param standing whether to omit ended quarantines
   * @param before only older ones, null for the newest
   */
  List<DomainQuarantine> domains(
      ClusterId cluster, boolean standing, @Nullable DomainQuarantineId before, int limit);

  Optional<DomainQuarantine> domain(DomainQuarantineId id);

  /**
   * Returns the number of nodes that each of these excludes from use. For an ended quarantine it is
   * the number at its end.
   */
  SortedMap<DomainQuarantineId, Integer> covered(Collection<DomainQuarantineId> ids);

  /**
   * Inserts a quarantine of version 1, or writes its mutable fields.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless the previous version is stored,
   *     NAME_TAKEN if the domain has another active one
   */
  void write(DomainQuarantine quarantine);

  /** Inserts the notice, or replaces the notice of its cluster and id. */
  void write(AnnouncedNotice notice);

  /** Returns the announced notice with this id, also if it has ended. */
  Optional<AnnouncedNotice> announced(ClusterId cluster, String id);

  /**
   * Returns the announced notices of the cluster that are not withdrawn, by id.
   *
   * @param after only notices with a later deadline
   */
  List<AnnouncedNotice> announced(ClusterId cluster, Instant after);

  /** Returns those of {@link #announced(ClusterId, Instant)} that name the node. */
  List<AnnouncedNotice> announced(ClusterId cluster, String node, Instant after);
}
