package dev.fairlead.health.service;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.FleetNames;
import dev.fairlead.cluster.InventoryStore;
import dev.fairlead.cluster.Node;
import dev.fairlead.health.DeviceSource;
import dev.fairlead.health.FaultScope;
import dev.fairlead.health.HealthEvent;
import dev.fairlead.health.HealthRecord;
import dev.fairlead.health.HealthStore;
import dev.fairlead.health.Incident;
import dev.fairlead.health.IncidentId;
import dev.fairlead.health.Judgement;
import dev.fairlead.health.NodeDevices;
import dev.fairlead.health.Sighting;
import dev.fairlead.health.XidTable;
import dev.fairlead.identity.IdSource;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Permissions;
import dev.fairlead.transaction.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Takes events of a cluster's monitors in. What a repeat, a replay or a monitor with a wrong clock
 * says isolates nothing.
 */
@Service
public class HealthIntake {
  /** A sender's clock may be so far ahead. */
  static final Duration AHEAD = Duration.ofMinutes(5);

  /** Events that come later than that are shown and isolate nothing: the fault may be repaired. */
  static final Duration LATE = Duration.ofHours(1);

  private final Transactions transactions;
  private final InventoryStore inventory;
  private final HealthStore health;
  private final Isolation isolation;
  private final DeviceIntake devices;
  private final IdSource ids;
  private final InstantSource clock;

  public HealthIntake(
      Transactions transactions,
      InventoryStore inventory,
      HealthStore health,
      Isolation isolation,
      DeviceIntake devices,
      IdSource ids,
      InstantSource clock) {
    this.transactions = transactions;
    this.inventory = inventory;
    this.health = health;
    this.isolation = isolation;
    this.devices = devices;
    this.ids = ids;
    this.clock = clock;
  }

  /**
   * Stores and judges the events; the answers are in their order. All or none of them are stored.
   *
   * @param text id or name of the cluster
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public List<Intake> take(Actor actor, String text, List<HealthEvent> events) {
    Permissions.require(actor, "reportHealthEvents");
    return transactions.forAllTenants(() -> {
      Cluster cluster = FleetNames.cluster(inventory, text);
      health.enter(cluster.id());
      return new Batch(cluster, events).taken();
    });
  }

  /** One request. */
  private final class Batch {
    private final Cluster cluster;
    private final List<HealthEvent> events;
    private final Instant now = clock.instant();
    private final Set<String> known;
    private final Map<String, Node> nodes = new HashMap<>();
    private final List<HealthRecord> stored = new ArrayList<>();

    Batch(Cluster cluster, List<HealthEvent> events) {
      this.cluster = cluster;
      this.events = events;
      this.known =
          new TreeSet<>(
              health.known(cluster.id(), events.stream().map(HealthEvent::id).distinct().toList()));
      inventory.nodes(cluster.id()).forEach(n -> nodes.put(n.name(), n));
    }

    List<Intake> taken() {
      List<Intake> answers = events.stream().map(this::one).toList();
      if (!stored.isEmpty()) {
        health.insert(cluster.id(), stored, now);
        devices.seen(
            stored.stream()
                .map(HealthRecord::event)
                .flatMap(e -> sighting(e, nodes.get(e.node())).stream())
                .toList());
      }
      return answers;
    }

    private static Optional<Sighting> sighting(HealthEvent event, @Nullable Node node) {
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
      if (event.at().isAfter(now.plus(AHEAD))) {
        return new Intake(
            Intake.Outcome.REFUSED,
            null,
            null,
            "at is " + event.at() + ", and it is " + now + " here. Set the clock of the sender.");
      }
      if (!known.add(event.id())) {
        return new Intake(
            Intake.Outcome.DUPLICATE, null, null, "an event of this id is stored already");
      }
      Node node = nodes.get(event.node());
      Judgement judgement =
          Judgement.of(XidTable.CURRENT, event.xid(), event.at(), seenBefore(event));
      Incident incident = node == null ? null : incident(event, node, judgement);
      IncidentId id = incident == null ? null : incident.id();
      stored.add(new HealthRecord(event, node == null ? null : node.id(), judgement.verdict(), id));
      return new Intake(
          Intake.Outcome.STORED,
          judgement.verdict(),
          incident,
          detail(event, node, judgement, incident));
    }

    private @Nullable Incident incident(HealthEvent event, Node node, Judgement judgement) {
      Optional<Incident> open = health.open(node.id(), event.gpu());
      if (open.isPresent() && judgement.verdict() != Judgement.Verdict.UNKNOWN) {
        Incident joined = open.get().joined(event, judgement);
        health.write(joined);
        return joined;
      }
      return judgement.scope() == FaultScope.NONE || settled(event, node)
          ? null
          : isolation.isolate(cluster, node, opened(event, node, judgement), now);
    }

    private Incident opened(HealthEvent event, Node node, Judgement judgement) {
      return new Incident(
          new IncidentId(ids.next()),
          cluster.id(),
          node.id(),
          node.name(),
          event.gpu(),
          event.serial(),
          event.xid(),
          judgement.cause(),
          judgement.scope(),
          judgement.step(),
          event.at(),
          event.at(),
          1,
          "",
          null);
    }

    /** Whether it is too old to act on, or from before the node was released. */
    private boolean settled(HealthEvent event, Node node) {
      Instant released = health.lastReleased(cluster.id(), node.id());
      return event.at().isBefore(now.minus(LATE))
          || released != null && !event.at().isAfter(released);
    }

    private List<Instant> seenBefore(HealthEvent event) {
      String gpu = event.gpu();
      boolean counts =
          gpu != null && XidTable.CURRENT.find(event.xid()).filter(x -> x.onRepeat()).isPresent();
      if (gpu == null || !counts) {
        return List.of();
      }
      List<Instant> times =
          new ArrayList<>(
              health.seen(gpu, event.xid(), event.at().minus(Judgement.REPEAT), event.at()));
      stored.stream()
          .map(HealthRecord::event)
          .filter(e -> gpu.equals(e.gpu()) && e.xid() == event.xid())
          .forEach(e -> times.add(e.at()));
      return times;
    }

    private String detail(
        HealthEvent event, @Nullable Node node, Judgement judgement, @Nullable Incident incident) {
      if (incident != null) {
        return incident.text() + ": " + incident.isolation();
      }
      if (node == null) {
        return judgement.cause() + ": cluster " + cluster.name() + " has no node " + event.node();
      }
      return judgement.scope() != FaultScope.NONE
          ? judgement.cause() + ": too old to act on"
          : judgement.cause() + ": takes nothing out of use";
    }
  }
}
