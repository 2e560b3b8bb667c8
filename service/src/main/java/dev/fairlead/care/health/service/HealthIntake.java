package dev.fairlead.care.health.service;

import static java.util.stream.Collectors.toCollection;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.HealthRecord;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.Judgement;
import dev.fairlead.care.health.Reporter;
import dev.fairlead.care.health.Xid;
import dev.fairlead.care.health.XidTable;
import dev.fairlead.care.health.device.DeviceObservation;
import dev.fairlead.care.health.device.DeviceSource;
import dev.fairlead.care.health.device.NodeDevices;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Stores and judges events of a cluster's monitors. Repeats, replays and monitors with a wrong
 * clock isolate nothing.
 */
@Service
public class HealthIntake {
  /** Maximum lead of the clock of a sender. */
  static final Duration AHEAD = Duration.ofMinutes(5);

  private final Transactions transactions;
  private final InventoryStore inventory;
  private final HealthStore health;
  private final FaultIsolation isolation;
  private final DeviceIntake devices;
  private final AuditLog audit;
  private final IdSource ids;
  private final InstantSource clock;

  public HealthIntake(
      Transactions transactions,
      InventoryStore inventory,
      HealthStore health,
      FaultIsolation isolation,
      DeviceIntake devices,
      AuditLog audit,
      IdSource ids,
      InstantSource clock) {
    this.transactions = transactions;
    this.inventory = inventory;
    this.health = health;
    this.isolation = isolation;
    this.devices = devices;
    this.audit = audit;
    this.ids = ids;
    this.clock = clock;
  }

  /**
   * Stores and judges the events, all or none. Returns the responses in the order of the events.
   *
   * @param text id or name of the cluster
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public List<Intake> take(Actor actor, String text, List<HealthEvent> events) {
    Taken taken =
        transactions.forAllTenants(() -> {
          Cluster cluster = FleetNames.cluster(inventory, text);
          Reporter.require(actor, cluster);
          return judged(actor, cluster, events);
        });
    note(actor, text, taken);
    return taken.answers();
  }

  /**
   * Stores the devices that the events name. As with an inventory, the incident of a moved device
   * opens in its new machine before the move is stored. The isolation of the events is already
   * committed. If this write fails, the next inventory names the device.
   */
  private void note(Actor actor, String text, Taken taken) {
    List<DeviceObservation> seen = taken.seen();
    if (seen.isEmpty()
        || !taken.alone() && !transactions.forAllTenants(() -> devices.finds(seen))) {
      return;
    }
    List<Incident> open =
        health.openOf(
            seen.stream().map(DeviceObservation::uuid).collect(toCollection(TreeSet::new)));
    boolean elsewhere =
        seen.stream()
            .anyMatch(one ->
                open.stream()
                    .anyMatch(fault ->
                        one.uuid().equals(fault.gpu()) && !one.node().equals(fault.node())));
    if (elsewhere) {
      follow(actor, text, devices.moves(seen));
    }
    devices.note(seen);
  }

  /**
   * Stores inventories of machines. A device with an open incident that has moved opens an incident
   * in its new machine too, because the cluster would give it to the next job. This happens before
   * the move is stored, so the next inventory repeats it after a failure.
   *
   * @param text id or name of the cluster
   * @return names of the machines with an inventory that was ignored in part or in full
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public List<String> list(Actor actor, String text, List<NodeDevices> lists) {
    Set<String> gpus =
        lists.stream()
            .flatMap(list -> list.gpus().stream())
            .map(NodeDevices.Listed::uuid)
            .collect(toCollection(TreeSet::new));
    if (!health.openOf(gpus).isEmpty()) {
      follow(actor, text, devices.moves(actor, text, lists));
    }
    return devices.take(actor, text, lists);
  }

  /**
   * Opens the incidents of faulty devices in their new machines, up to the limit of {@link
   * OpenIncidents}. A sender could otherwise open incidents without end by moving invented devices.
   */
  private void follow(Actor actor, String text, SortedMap<String, NodeId> moves) {
    if (moves.isEmpty()) {
      return;
    }
    transactions.forAllTenants(() -> {
      Cluster cluster = FleetNames.cluster(inventory, text);
      health.enter(cluster.id());
      FaultIsolation.Round round = isolation.round(cluster.id(), clock.instant());
      SortedMap<String, Incident> open = new TreeMap<>();
      List<Incident> faults = health.openOf(moves.keySet());
      faults.forEach(fault -> open.put(String.valueOf(fault.gpu()), fault));
      faults.stream()
          .filter(fault -> fault.node().equals(moves.get(String.valueOf(fault.gpu()))))
          .forEach(fault -> open.remove(String.valueOf(fault.gpu())));
      List<IncidentId> opened = new ArrayList<>();
      open.forEach((gpu, fault) ->
          Optional.ofNullable(moves.get(gpu))
              .flatMap(inventory::node)
              .filter(node -> gpu.equals(open(node).device(node, gpu)))
              .ifPresent(node -> opened.add(follow(round, fault, node))));
      audit(actor, cluster, opened, opened.size());
      return opened;
    });
  }

  private OpenIncidents open(Node node) {
    return new OpenIncidents(health.open(List.of(node.id())));
  }

  private IncidentId follow(FaultIsolation.Round round, Incident fault, Node node) {
    Instant now = clock.instant();
    HealthEvent event =
        new HealthEvent(
            "moved/" + fault.id().text() + "/" + node.id().text(),
            now,
            node.name(),
            fault.gpu(),
            fault.serial(),
            fault.xid(),
            "moved from node %s with incident %s".formatted(fault.nodeName(), fault.id().text()));
    Judgement judgement =
        new Judgement(Judgement.Verdict.FATAL, fault.scope(), fault.step(), fault.cause());
    Incident incident =
        round.isolate(
            node, Incident.opened(new IncidentId(ids.next()), node, fault.gpu(), event, judgement));
    health.write(incident);
    health.insert(
        node.cluster(),
        List.of(new HealthRecord(event, node.id(), judgement.verdict(), incident.id())),
        now);
    return incident.id();
  }

  /**
   * Writes one audit record for a report that opens incidents or joins them, because such a report
   * takes nodes out of service.
   */
  private void audit(Actor actor, Cluster cluster, List<IncidentId> changed, int events) {
    if (!changed.isEmpty()) {
      SortedMap<String, Object> detail =
          new TreeMap<>(
              Map.of("incidents", changed.stream().map(IncidentId::text).sorted().toList()));
      audit.append(
          new AuditRecord(actor, "reportHealthEvents", cluster.id().text(), true, detail, events));
    }
  }

  /**
   * Stores and judges events that a loop of Fairlead found itself, whether all items are stored or
   * none. Returns the responses in the order of the events.
   *
   * @param own name of Fairlead in the audit log
   */
  public List<Intake> take(HeldLease lease, Actor own, Cluster cluster, List<HealthEvent> events) {
    Taken taken = transactions.callFenced(lease, () -> judged(own, cluster, events));
    note(own, cluster.id().text(), taken);
    return taken.answers();
  }

  /**
   * Result of one request.
   *
   * @param alone whether the events were judged under the lock of the cluster
   * @param seen devices that the events name
   */
  private record Taken(List<Intake> answers, boolean alone, List<DeviceObservation> seen) {}

  private Taken judged(Actor actor, Cluster cluster, List<HealthEvent> events) {
    Set<String> names = events.stream().map(HealthEvent::node).collect(toCollection(TreeSet::new));
    XidTable table = health.table();
    InformationalEvents harmless =
        new InformationalEvents(
            cluster, events, health.places(cluster.id(), names), table, clock.instant());
    if (harmless.all()) {
      List<Intake> answers = harmless.store(health);
      return new Taken(answers, false, harmless.sightings());
    }
    Map<String, Node> nodes = new HashMap<>();
    inventory.named(cluster.id(), names).forEach(n -> nodes.put(n.name(), n));
    Batch batch = new Batch(cluster, events, nodes, table);
    if (!batch.decides()) {
      /* Without the lock, an incident that opens after the snapshot is not joined. */
      return batch.taken(false);
    }
    health.enter(cluster.id());
    Batch alone = new Batch(cluster, events, nodes, table);
    Taken taken = alone.taken(true);
    audit(
        actor,
        cluster,
        alone.open.changed().stream().map(Incident::id).toList(),
        alone.stored.size());
    return taken;
  }

  static boolean ahead(HealthEvent event, Instant now) {
    return event.at().isAfter(now.plus(AHEAD));
  }

  /** Events of one request. */
  private final class Batch {
    private final Cluster cluster;
    private final List<HealthEvent> events;
    private final Map<String, Node> nodes;
    private final XidTable table;
    private final Instant now = clock.instant();
    private final Set<String> known;

    /**
     * Ids of events within a stored burst. Such events are stored only if they isolate something.
     */
    private final Set<String> merged;

    private final OpenIncidents open;
    private final FaultIsolation.Round round;
    private final Map<NodeId, Optional<Instant>> released = new HashMap<>();
    private final List<HealthRecord> stored = new ArrayList<>();

    /** Stored events that isolate nothing, and the other stored events. */
    private final List<HealthRecord> quiet = new ArrayList<>();

    private final List<HealthRecord> acting = new ArrayList<>();

    Batch(Cluster cluster, List<HealthEvent> events, Map<String, Node> nodes, XidTable table) {
      this.cluster = cluster;
      this.events = events;
      this.nodes = nodes;
      this.table = table;
      this.known =
          new TreeSet<>(
              health.known(cluster.id(), events.stream().map(HealthEvent::id).distinct().toList()));
      this.merged = health.merged(cluster.id(), events);
      this.open = new OpenIncidents(health.open(nodes.values().stream().map(Node::id).toList()));
      this.round = isolation.round(cluster.id(), now);
    }

    /**
     * Returns whether an event can isolate a node or join an incident. All other events need no
     * lock.
     */
    boolean decides() {
      return events.stream()
          .filter(e -> !known.contains(e.id()) && nodes.containsKey(e.node()))
          .anyMatch(e ->
              table
                  .find(e)
                  .filter(x ->
                      x.scope() != FaultScope.NONE
                          || open.has(node(e).id()) && !merged.contains(e.id()))
                  .isPresent());
    }

    private Node node(HealthEvent event) {
      return Objects.requireNonNull(nodes.get(event.node()));
    }

    /**
     * Judges and stores the events.
     *
     * @param alone whether the transaction holds the lock under which events of the cluster are
     *     judged
     */
    Taken taken(boolean alone) {
      List<Intake> answers = events.stream().map(this::one).toList();
      open.changed().forEach(health::write);
      if (!stored.isEmpty()) {
        List<HealthRecord> rows = new ArrayList<>(HealthRecord.bursts(quiet, table));
        rows.addAll(acting);
        health.insert(cluster.id(), rows, now);
      }
      return new Taken(answers, alone, sightings());
    }

    private List<DeviceObservation> sightings() {
      return stored.stream()
          .map(HealthRecord::event)
          .flatMap(e -> sighting(e, nodes.get(e.node())).stream())
          .toList();
    }

    private static Optional<DeviceObservation> sighting(HealthEvent event, @Nullable Node node) {
      String gpu = event.gpu();
      return node == null || gpu == null
          ? Optional.empty()
          : Optional.of(
              DeviceIntake.sighting(
                  node,
                  new NodeDevices.Listed(gpu, event.serial()),
                  DeviceSource.EVENT,
                  event.at()));
    }

    private Intake one(HealthEvent event) {
      if (ahead(event, now)) {
        return Intake.ahead(event, now);
      }
      if (!known.add(event.id())) {
        return Intake.REPEAT;
      }
      Node node = nodes.get(event.node());
      Judgement judgement = Judgement.of(table, event, seenBefore(event));
      if (judgement.scope() == FaultScope.NONE && merged.contains(event.id())) {
        return Intake.REPEAT;
      }
      Incident incident = node == null ? null : incident(event, node, judgement);
      IncidentId id = incident == null ? null : incident.id();
      HealthRecord record =
          new HealthRecord(event, node == null ? null : node.id(), judgement.verdict(), id);
      stored.add(record);
      (judgement.scope() == FaultScope.NONE ? quiet : acting).add(record);
      return new Intake(
          Intake.Outcome.STORED,
          judgement.verdict(),
          incident,
          detail(event, node, judgement, incident));
    }

    private @Nullable Incident incident(HealthEvent event, Node node, Judgement judgement) {
      if (judgement.verdict() == Judgement.Verdict.UNKNOWN) {
        return null;
      }
      String device = open.device(node, event.gpu());
      Incident before = open.of(node, device);
      if (before == null && judgement.scope() == FaultScope.NONE) {
        return null; // most events end here, without a query for their nodes
      }
      boolean settled = settled(event, node);
      boolean isolates = judgement.scope() != FaultScope.NONE && !settled;
      if (before == null && !isolates) {
        return null;
      }
      Incident incident =
          before == null
              ? Incident.opened(new IncidentId(ids.next()), node, device, event, judgement)
              : before.joined(event, judgement, settled);
      Incident shown =
          isolates && !round.isolates(node, incident) ? round.isolate(node, incident) : incident;
      open.put(shown);
      return shown;
    }

    /**
     * Returns whether the event is too old to act on, or older than the last release of the node.
     */
    private boolean settled(HealthEvent event, Node node) {
      return event.at().isBefore(now.minus(Judgement.LATE))
          || released
              .computeIfAbsent(
                  node.id(), id -> Optional.ofNullable(health.lastReleased(cluster.id(), id)))
              .filter(end -> !event.at().isAfter(end))
              .isPresent();
    }

    private List<Instant> seenBefore(HealthEvent event) {
      String gpu = event.gpu();
      List<Integer> awaited = table.find(event).map(Xid::awaits).orElse(List.of());
      if (gpu == null || awaited.isEmpty()) {
        return List.of();
      }
      List<Instant> times = new ArrayList<>();
      Instant from = event.at().minus(Judgement.REPEAT);
      awaited.forEach(code -> times.addAll(health.seen(cluster.id(), gpu, code, from, event.at())));
      stored.stream()
          .map(HealthRecord::event)
          .filter(e -> gpu.equals(e.gpu()) && awaited.contains(e.xid()))
          .forEach(e -> times.add(e.at()));
      return times;
    }

    private String detail(
        HealthEvent event, @Nullable Node node, Judgement judgement, @Nullable Incident incident) {
      if (incident != null) {
        return incident.text() + ": " + incident.isolation();
      }
      if (node == null) {
        return Intake.noNode(judgement, cluster, event);
      }
      return judgement.scope() != FaultScope.NONE
          ? judgement.cause() + ": too old to act on"
          : Intake.nothing(judgement);
    }
  }
}
