package dev.fairlead.care.health;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Health events, incidents and quarantines. They belong to the fleet, not to a tenant. */
public interface HealthStore {
  /**
   * Until the open transaction ends, no other one judges events of the cluster or changes its
   * quarantines. Comes before every lock of a node.
   */
  void enter(ClusterId cluster);

  /** Rows of the table of faults that operators set, by code. */
  List<HealthRule> rules();

  /** The table of faults as it is now. */
  default XidTable table() {
    return XidTable.SHIPPED.with(rules());
  }

  /**
   * Inserts or replaces a row of the table.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict unless the version in front of it is stored
   */
  void write(HealthRule rule);

  /** Those of the ids that are stored. */
  Set<String> known(ClusterId cluster, Collection<String> ids);

  /** Ids of those of the events that lie within a {@link HealthRecord#burst} that is stored. */
  Set<String> merged(ClusterId cluster, Collection<HealthEvent> events);

  /**
   * Stores events that were not known; one of an id that is stored is left aside. A burst that is
   * stored is extended, and left aside where it was as long before.
   *
   * @return ids of those that were stored or extended now
   */
  Set<String> insert(ClusterId cluster, List<HealthRecord> events, Instant receivedAt);

  /** Nodes in service of the cluster that have one of these names. */
  List<Place> places(ClusterId cluster, Collection<String> names);

  /**
   * A node, as far as an event needs it that takes nothing out of use.
   *
   * @param faulty whether an incident of it is open
   */
  record Place(NodeId node, String name, boolean faulty) {}

  /**
   * Times of the newest events of the code on the device, at most those of 1,000 rows, in no order;
   * of a burst the first and the last.
   */
  List<Instant> seen(ClusterId cluster, String gpu, int xid, Instant from, Instant to);

  /** Whether a fatal event that was joined to the incident is of a moment after this one. */
  boolean shown(IncidentId incident, Instant since);

  /** Open incidents of these nodes, by id. */
  List<Incident> open(Collection<NodeId> nodes);

  /** Open incidents of the cluster, also of nodes that left it; by id. */
  List<Incident> open(ClusterId cluster);

  Optional<Incident> incident(IncidentId id);

  /**
   * Newest first.
   *
   * @param node null for those of all nodes
   * @param before only those that are older, null for the newest
   */
  List<Incident> incidents(@Nullable NodeId node, @Nullable IncidentId before, int limit);

  /** As {@link #incidents}, of those that have not ended. */
  List<Incident> openIncidents(@Nullable NodeId node, @Nullable IncidentId before, int limit);

  /** The newest that is of the machine, not of one of its GPUs. */
  Optional<Incident> lastOfMachine(NodeId node);

  /** It is an incident from now on, and over. */
  void write(Hang hang);

  Optional<Hang> hang(IncidentId id);

  /** As {@link #incidents}. */
  List<Hang> hangs(@Nullable NodeId node, @Nullable IncidentId before, int limit);

  /** Open ones of the cluster of which a quarantine stands, by id. */
  List<Incident> isolating(ClusterId cluster);

  /** Inserts it, or writes what may change of it. */
  void write(Incident incident);

  /** Of these incidents, whether they stand or not; by id. */
  List<Quarantine> quarantinesOf(Collection<IncidentId> incidents);

  /** Those that stand in the cluster, by id. */
  List<Quarantine> standing(ClusterId cluster);

  /**
   * Nodes in service with GPUs, of all clusters.
   *
   * @param pool name of their pool, null for all of the fleet
   */
  GpuNodes isolated(@Nullable String pool);

  /**
   * How many nodes there are.
   *
   * @param isolated those that have a quarantine and none that an operator holds
   */
  record GpuNodes(int isolated, int all) {
    public GpuNodes oneMore() {
      return new GpuNodes(isolated + 1, all);
    }
  }

  /**
   * The newest end of a quarantine or, of a node, of an incident; null when none ended. Of a node
   * those do not count that ended as {@link Incident#CLEARED}, or with a domain: what is reported
   * of it is looked at.
   *
   * @param node null for the quarantines of all nodes of the cluster
   */
  @Nullable Instant lastReleased(ClusterId cluster, @Nullable NodeId node);

  /**
   * The newest release of each of these nodes, by the rules of {@link #lastReleased}; nodes without
   * a release after that time have no entry.
   */
  SortedMap<NodeId, Instant> released(Set<NodeId> nodes, Instant after);

  /** Inserts it, or writes its cause, its owner and its end. */
  default void write(Quarantine quarantine) {
    write(List.of(quarantine));
  }

  /** As {@link #write(Quarantine)}, all at once. */
  void write(Collection<Quarantine> quarantines);

  /** Quarantines of domains that stand, of all clusters; by id. */
  List<DomainQuarantine> domains();

  /** Quarantines of domains of the cluster that stand, by id. */
  List<DomainQuarantine> domains(ClusterId cluster);

  /**
   * Those of the cluster, newest first.
   *
   * @param standing whether to leave out those that are over
   * @param before only those that are older, null for the newest
   */
  List<DomainQuarantine> domains(
      ClusterId cluster, boolean standing, @Nullable DomainQuarantineId before, int limit);

  Optional<DomainQuarantine> domain(DomainQuarantineId id);

  /** How many nodes each of these keeps out; of one that is over, how many it did to its end. */
  SortedMap<DomainQuarantineId, Integer> covered(Collection<DomainQuarantineId> ids);

  /**
   * Inserts one of version 1, or writes what may change of it.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless the version in front of it is
   *     stored, NAME_TAKEN when another one of the domain stands
   */
  void write(DomainQuarantine quarantine);
}
