package dev.fairlead.care.health.memory;

import dev.fairlead.care.health.Hang;
import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.HealthRecord;
import dev.fairlead.care.health.HealthRule;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.Judgement;
import dev.fairlead.care.health.quarantine.DomainQuarantine;
import dev.fairlead.care.health.quarantine.DomainQuarantineId;
import dev.fairlead.care.health.quarantine.HealthFacts;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.quarantine.QuarantineId;
import dev.fairlead.fleet.cluster.memory.MemoryInventoryStore;
import dev.fairlead.fleet.node.AnnouncedNotice;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.work.event.FleetEvents;
import dev.fairlead.work.event.FleetFact;
import dev.fairlead.work.event.WakeUps.Topic;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** In-memory implementation of {@link HealthStore}. */
public final class MemoryHealthStore implements HealthStore {
  private static final String ACTOR = "health";

  private final MemoryDatabase database;
  private final MemoryInventoryStore inventory;
  private final MemoryTable<String, HealthRecord> events;
  private final MemoryTable<IncidentId, Incident> incidents;
  private final MemoryTable<QuarantineId, Quarantine> quarantines;
  private final MemoryTable<DomainQuarantineId, DomainQuarantine> domains;
  private final MemoryTable<IncidentId, Hang> hangs;
  private final MemoryTable<Integer, HealthRule> rules;
  private final MemoryTable<String, AnnouncedNotice> notices;
  private FleetEvents told = FleetEvents.NONE;

  public MemoryHealthStore(MemoryDatabase database, MemoryInventoryStore inventory) {
    this.database = database;
    this.inventory = inventory;
    this.events = database.table();
    this.incidents = database.tableOfPlaces();
    this.quarantines = database.tableOfPlaces();
    this.domains = database.tableOfPlaces();
    this.hangs = database.table();
    this.rules = database.table();
    this.notices = database.tableOfPlaces();
    inventory.quarantinedBy(node ->
        quarantines.all().stream()
            .anyMatch(q -> q.releasedAt() == null && q.ofNode() && q.node().equals(node)));
    inventory.quarantinedGpusBy(gpu ->
        quarantines.all().stream().anyMatch(q -> q.releasedAt() == null && gpu.equals(q.gpu())));
  }

  /** Sets the log of the events of incidents and quarantines. */
  public void tellsTo(FleetEvents log) {
    told = log;
  }

  @Override
  public List<HealthRule> rules() {
    return database.call(
        () -> rules.all().stream().sorted(Comparator.comparing(r -> r.xid().code())).toList());
  }

  @Override
  public void write(HealthRule rule) {
    database.run(() -> {
      int code = rule.xid().code();
      if (rules.find(code).map(HealthRule::version).orElse(0L) != rule.version() - 1) {
        throw new Conflict(Conflict.Guard.VERSION, "XID " + code);
      }
      rules.put(code, rule);
    });
  }

  @Override
  public void enter(ClusterId cluster) {
    events.has(cluster.text()); // only inside a transaction
  }

  @Override
  public Set<String> known(ClusterId cluster, Collection<String> ids) {
    return database.call(
        () -> ids.stream().filter(id -> events.has(key(cluster, id))).collect(Collectors.toSet()));
  }

  @Override
  public Set<String> merged(ClusterId cluster, Collection<HealthEvent> sent) {
    return database.call(() ->
        sent.stream()
            .filter(event ->
                events
                    .find(key(cluster, HealthRecord.burst(event)))
                    .filter(burst -> spans(burst, event.at()))
                    .isPresent())
            .map(HealthEvent::id)
            .collect(Collectors.toSet()));
  }

  private static boolean spans(HealthRecord burst, Instant at) {
    return !at.isBefore(burst.event().at()) && !at.isAfter(burst.until());
  }

  @Override
  public Set<String> insert(ClusterId cluster, List<HealthRecord> records, Instant receivedAt) {
    return database.call(() -> {
      Set<String> fresh = new TreeSet<>();
      for (HealthRecord stored : records) {
        String key = key(cluster, stored.event().id());
        HealthRecord before = events.find(key).orElse(null);
        boolean more =
            before == null
                || before.lastAt() != null
                    && !(spans(before, stored.event().at()) && spans(before, stored.until()));
        if (more) {
          events.put(key, before == null ? stored : before.with(counted(before, stored)));
          fresh.add(stored.event().id());
        }
      }
      return fresh;
    });
  }

  /** Events that partly overlap stored ones count as one event. */
  private static HealthRecord counted(HealthRecord before, HealthRecord stored) {
    boolean apart =
        stored.event().at().isAfter(before.until()) || stored.until().isBefore(before.event().at());
    return apart
        ? stored
        : new HealthRecord(
            stored.event(), stored.node(), stored.verdict(), stored.incident(), stored.lastAt(), 1);
  }

  @Override
  public List<Place> places(ClusterId cluster, Collection<String> names) {
    return database.call(() ->
        inventory.named(cluster, names).stream()
            .map(node -> new Place(node.id(), node.name(), !open(List.of(node.id())).isEmpty()))
            .toList());
  }

  private static String key(ClusterId cluster, String id) {
    return cluster.text() + "/" + id;
  }

  @Override
  public List<Instant> seen(ClusterId cluster, String gpu, int xid, Instant from, Instant to) {
    return database.call(() ->
        events.all().stream()
            .filter(r -> events.has(key(cluster, r.event().id())))
            .filter(r -> gpu.equals(r.event().gpu()) && r.event().xid() == xid)
            .flatMap(r -> Stream.of(r.event().at(), r.until()).distinct())
            .filter(at -> !at.isBefore(from) && !at.isAfter(to))
            .toList());
  }

  @Override
  public boolean shown(IncidentId incident, Instant since) {
    return database.call(() ->
        events.all().stream()
            .filter(r -> incident.equals(r.incident()))
            .filter(r -> r.verdict() == Judgement.Verdict.FATAL)
            .anyMatch(r -> r.until().isAfter(since)));
  }

  @Override
  public List<Incident> open(Collection<NodeId> nodes) {
    return database.call(() ->
        incidents.all().stream()
            .filter(i -> i.endedAt() == null && nodes.contains(i.node()))
            .toList());
  }

  @Override
  public List<Incident> openOf(Collection<String> gpus) {
    return database.call(() ->
        incidents.all().stream()
            .filter(i -> i.endedAt() == null && i.gpu() != null && gpus.contains(i.gpu()))
            .toList());
  }

  @Override
  public List<Incident> open(ClusterId cluster) {
    return database.call(() ->
        incidents.all().stream()
            .filter(i -> i.endedAt() == null && i.cluster().equals(cluster))
            .toList());
  }

  @Override
  public Optional<Incident> incident(IncidentId id) {
    return database.call(() -> incidents.find(id));
  }

  @Override
  public List<Incident> incidents(@Nullable NodeId node, @Nullable IncidentId before, int limit) {
    return newest(incident -> true, node, before, limit);
  }

  @Override
  public List<Incident> openIncidents(
      @Nullable NodeId node, @Nullable IncidentId before, int limit) {
    return newest(incident -> incident.endedAt() == null, node, before, limit);
  }

  private List<Incident> newest(
      Predicate<Incident> which, @Nullable NodeId node, @Nullable IncidentId before, int limit) {
    return database.call(() ->
        incidents.all().stream()
            .filter(which)
            .filter(i -> node == null || i.node().equals(node))
            .filter(i -> before == null || i.id().compareTo(before) < 0)
            .sorted(Comparator.comparing(Incident::id).reversed())
            .limit(limit)
            .toList());
  }

  @Override
  public Optional<Incident> lastOfMachine(NodeId node) {
    return database.call(() ->
        incidents.all().stream()
            .filter(i -> i.node().equals(node) && i.gpu() == null)
            .max(Comparator.comparing(Incident::id)));
  }

  @Override
  public List<Incident> isolating(ClusterId cluster) {
    return database.call(() -> {
      List<Quarantine> standing = standing(cluster);
      return incidents.all().stream()
          .filter(i -> i.endedAt() == null)
          .filter(i -> standing.stream().anyMatch(q -> i.id().equals(q.incident())))
          .toList();
    });
  }

  @Override
  public void write(Incident incident) {
    database.run(() -> {
      Incident before = incidents.find(incident.id()).orElse(null);
      incidents.put(incident.id(), incident);
      told.append(incident.cluster(), ACTOR, HealthFacts.of(before, incident));
    });
  }

  @Override
  public List<Quarantine> quarantinesOf(Collection<IncidentId> of) {
    return database.call(() ->
        quarantines.all().stream()
            .filter(q -> q.incident() != null && of.contains(q.incident()))
            .toList());
  }

  @Override
  public List<Quarantine> standing(ClusterId cluster) {
    return database.call(() ->
        quarantines.all().stream()
            .filter(q -> q.releasedAt() == null && q.cluster().equals(cluster))
            .toList());
  }

  @Override
  public void write(Hang hang) {
    database.run(() -> hangs.put(hang.id(), hang));
  }

  @Override
  public Optional<Hang> hang(IncidentId id) {
    return database.call(() -> hangs.find(id));
  }

  @Override
  public List<Hang> hangs(@Nullable NodeId node, @Nullable IncidentId before, int limit) {
    return database.call(() ->
        hangs.all().stream()
            .filter(hang -> node == null || hang.nodes().containsKey(node))
            .filter(hang -> before == null || hang.id().compareTo(before) < 0)
            .sorted(Comparator.comparing(Hang::id).reversed())
            .limit(limit)
            .toList());
  }

  @Override
  public GpuNodes isolated(@Nullable String pool) {
    return database.call(() -> {
      List<Node> all =
          inventory.nodes(null).stream()
              .filter(node -> !node.gpus().isEmpty())
              .filter(
                  node -> pool == null || node.pool() != null && node.pool().name().equals(pool))
              .toList();
      long isolated = all.stream().filter(node -> alone(node.id())).count();
      return new GpuNodes((int) isolated, all.size());
    });
  }

  private boolean alone(NodeId node) {
    List<Quarantine> standing =
        quarantines.all().stream()
            .filter(q -> q.releasedAt() == null && q.node().equals(node))
            .toList();
    return !standing.isEmpty() && standing.stream().allMatch(q -> q.owner() == null);
  }

  @Override
  public SortedMap<NodeId, Instant> released(Set<NodeId> nodes, Instant after) {
    SortedMap<NodeId, Instant> released = new TreeMap<>();
    nodes.forEach(node ->
        database
            .call(() -> ended(node).filter(at -> at.isAfter(after)).max(Comparator.naturalOrder()))
            .ifPresent(at -> released.put(node, at)));
    return released;
  }

  private Stream<Instant> ended(NodeId node) {
    Stream<Instant> released =
        quarantines.all().stream()
            .filter(q -> q.node().equals(node) && q.domain() == null)
            .filter(q -> !Incident.CLEARED.equals(q.released()))
            .flatMap(q -> Optional.ofNullable(q.releasedAt()).stream());
    Stream<Instant> incidents =
        this.incidents.all().stream()
            .filter(i -> i.node().equals(node) && !i.cleared())
            .flatMap(i -> Optional.ofNullable(i.endedAt()).stream());
    return Stream.concat(released, incidents);
  }

  @Override
  public @Nullable Instant lastReleased(ClusterId cluster, @Nullable NodeId node) {
    return database
        .call(() -> {
          Stream<Instant> released =
              quarantines.all().stream()
                  .filter(
                      q -> q.cluster().equals(cluster) && (node == null || q.node().equals(node)))
                  .filter(q -> node == null || !Incident.CLEARED.equals(q.released()))
                  .filter(q -> node == null || q.domain() == null)
                  .flatMap(q -> Optional.ofNullable(q.releasedAt()).stream());
          Stream<Instant> ended =
              incidents.all().stream()
                  .filter(i -> i.node().equals(node) && !i.cleared())
                  .flatMap(i -> Optional.ofNullable(i.endedAt()).stream());
          return Stream.concat(released, ended).max(Comparator.naturalOrder());
        })
        .orElse(null);
  }

  @Override
  public void write(Collection<Quarantine> rows) {
    if (rows.isEmpty()) {
      return;
    }
    database.run(() -> {
      SortedMap<ClusterId, List<FleetFact>> facts = new TreeMap<>();
      for (Quarantine row : rows) {
        Quarantine before = quarantines.find(row.id()).orElse(null);
        quarantines.put(row.id(), row);
        facts
            .computeIfAbsent(row.cluster(), _ -> new ArrayList<>())
            .addAll(HealthFacts.of(before, row));
      }
      database.changed(Topic.INVENTORY);
      facts.forEach((cluster, its) -> told.append(cluster, ACTOR, its));
    });
  }

  @Override
  public List<DomainQuarantine> domains() {
    return database.call(() -> domains.all().stream().filter(d -> d.releasedAt() == null).toList());
  }

  @Override
  public List<DomainQuarantine> domains(ClusterId cluster) {
    return domains().stream().filter(d -> d.cluster().equals(cluster)).toList();
  }

  @Override
  public List<DomainQuarantine> domains(
      ClusterId cluster, boolean standing, @Nullable DomainQuarantineId before, int limit) {
    return database.call(() ->
        domains.all().stream()
            .filter(d -> d.cluster().equals(cluster) && (d.releasedAt() == null || !standing))
            .filter(d -> before == null || d.id().compareTo(before) < 0)
            .sorted(Comparator.comparing(DomainQuarantine::id).reversed())
            .limit(limit)
            .toList());
  }

  @Override
  public Optional<DomainQuarantine> domain(DomainQuarantineId id) {
    return database.call(() -> domains.find(id));
  }

  @Override
  public SortedMap<DomainQuarantineId, Integer> covered(Collection<DomainQuarantineId> ids) {
    return database.call(() -> {
      SortedMap<DomainQuarantineId, Integer> covered = new TreeMap<>();
      for (DomainQuarantineId id : ids) {
        Instant end = domains.find(id).map(DomainQuarantine::releasedAt).orElse(null);
        long nodes =
            quarantines.all().stream()
                .filter(q -> id.equals(q.domain()) && Objects.equals(q.releasedAt(), end))
                .count();
        covered.put(id, (int) nodes);
      }
      return covered;
    });
  }

  @Override
  public void write(DomainQuarantine quarantine) {
    database.run(() -> {
      if (domains.find(quarantine.id()).map(DomainQuarantine::version).orElse(0L)
          != quarantine.version() - 1) {
        throw new Conflict(Conflict.Guard.VERSION, quarantine.id().text());
      }
      if (quarantine.version() == 1
          && domains(quarantine.cluster()).stream()
              .anyMatch(d -> d.name().equals(quarantine.name()))) {
        throw new Conflict(Conflict.Guard.NAME_TAKEN, quarantine.name());
      }
      domains.put(quarantine.id(), quarantine);
      database.changed(Topic.INVENTORY);
    });
  }

  @Override
  public void write(AnnouncedNotice notice) {
    database.run(() -> {
      notices.put(key(notice.cluster(), notice.id()), notice);
      database.changed(Topic.INVENTORY);
    });
  }

  @Override
  public Optional<AnnouncedNotice> announced(ClusterId cluster, String id) {
    return database.call(() -> notices.find(key(cluster, id)));
  }

  @Override
  public List<AnnouncedNotice> announced(ClusterId cluster, Instant after) {
    return database.call(() ->
        notices.all().stream()
            .filter(n -> n.cluster().equals(cluster) && !n.withdrawn())
            .filter(n -> n.deadline().isAfter(after))
            .toList());
  }

  @Override
  public List<AnnouncedNotice> announced(ClusterId cluster, String node, Instant after) {
    return announced(cluster, after).stream().filter(n -> n.node().equals(node)).toList();
  }
}
