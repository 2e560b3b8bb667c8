package dev.fairlead.care.health.postgres;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.Hang;
import dev.fairlead.care.health.HangBuilder;
import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.HealthRecord;
import dev.fairlead.care.health.HealthRule;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentBuilder;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.quarantine.DomainQuarantine;
import dev.fairlead.care.health.quarantine.DomainQuarantineId;
import dev.fairlead.care.health.quarantine.HealthFacts;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.fleet.node.AnnouncedNotice;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.Change;
import dev.fairlead.kernel.postgres.Changes;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.event.FleetEvents;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** {@link HealthStore} on PostgreSQL. The role of a tenant cannot read its tables. */
@Component
class PostgresHealthStore implements HealthStore {
  private static final String ACTOR = "health"; // of the events

  private static final SqlFile RULES = SqlFile.named("health/rules");
  private static final SqlFile WRITE_RULE = SqlFile.named("health/write-rule");
  private static final SqlFile ENTER = SqlFile.named("health/enter");
  private static final SqlFile KNOWN = SqlFile.named("health/known-events");
  private static final SqlFile MERGED = SqlFile.named("health/merged-events");
  private static final SqlFile INSERT = SqlFile.named("health/insert-events");
  private static final SqlFile PLACES = SqlFile.named("health/places");
  private static final SqlFile OPEN = SqlFile.named("health/open-incidents");
  private static final SqlFile OPEN_OF_GPUS = SqlFile.named("health/open-of-gpus");
  private static final SqlFile OPEN_OF_CLUSTER = SqlFile.named("health/open-of-cluster");
  private static final SqlFile INCIDENT = SqlFile.named("health/incident");
  private static final SqlFile INCIDENTS = SqlFile.named("health/incidents");
  private static final SqlFile OPEN_NEWEST = SqlFile.named("health/open-newest");
  private static final SqlFile OF_MACHINE = SqlFile.named("health/incident-of-machine");
  private static final SqlFile INSERT_HANG = SqlFile.named("health/insert-hang");
  private static final SqlFile HANG = SqlFile.named("health/hang");
  private static final SqlFile HANGS = SqlFile.named("health/hangs");
  private static final SqlFile ISOLATING = SqlFile.named("health/isolating");
  private static final SqlFile WRITE_INCIDENT = SqlFile.named("health/write-incident");
  private static final SqlFile GPU_NODES = SqlFile.named("health/gpu-nodes");
  private static final SqlFile LAST_RELEASED = SqlFile.named("health/last-released");

  private final Transactions transactions;
  private final JdbcClient jdbc;
  private final DomainQuarantineTable domains;
  private final QuarantineTable quarantines;
  private final NoticeTable notices;
  private final FleetEvents fleetEvents;
  private final EventTimes times;
  private final Changes changes;

  PostgresHealthStore(
      Transactions transactions,
      JdbcClient jdbc,
      DomainQuarantineTable domains,
      QuarantineTable quarantines,
      NoticeTable notices,
      FleetEvents fleetEvents,
      Changes changes) {
    this.transactions = transactions;
    this.jdbc = jdbc;
    this.times = new EventTimes(jdbc);
    this.domains = domains;
    this.quarantines = quarantines;
    this.notices = notices;
    this.fleetEvents = fleetEvents;
    this.changes = changes;
  }

  @Override
  public List<HealthRule> rules() {
    return transactions.forAllTenants(() ->
        jdbc.sql(RULES.text())
            .query((row, n) -> Json.read(Columns.text(row, "content"), HealthRule.class))
            .list());
  }

  @Override
  public void write(HealthRule rule) {
    Conflict.unlessOne(
        transactions.forAllTenants(() ->
            jdbc.sql(WRITE_RULE.text())
                .param("xid", rule.xid().code())
                .param("content", Json.write(rule))
                .param("version", rule.version())
                .update()),
        Conflict.Guard.VERSION,
        "XID " + rule.xid().code());
  }

  @Override
  public void enter(ClusterId cluster) {
    jdbc.sql(ENTER.text()).param("cluster", cluster.value().toString()).query(row -> {});
  }

  @Override
  public Set<String> known(ClusterId cluster, Collection<String> ids) {
    return transactions.forAllTenants(() ->
        new TreeSet<>(
            jdbc.sql(KNOWN.text())
                .param("cluster", cluster.value())
                .param("ids", ids.toArray(String[]::new))
                .query(String.class)
                .list()));
  }

  @Override
  public Set<String> merged(ClusterId cluster, Collection<HealthEvent> events) {
    RowBatch rows = new RowBatch();
    for (HealthEvent event : events) {
      rows.row()
          .set("id", event.id())
          .set("burst", HealthRecord.burst(event))
          .set("at", event.at().toString());
    }
    return transactions.forAllTenants(() ->
        new TreeSet<>(
            jdbc.sql(MERGED.text())
                .param("cluster", cluster.value())
                .param("rows", rows.json())
                .query(String.class)
                .list()));
  }

  @Override
  public Set<String> insert(ClusterId cluster, List<HealthRecord> events, Instant receivedAt) {
    RowBatch rows = new RowBatch();
    for (HealthRecord stored : events) {
      HealthEvent event = stored.event();
      rows.row()
          .set("id", event.id())
          .set("at", event.at().toString())
          .set("node_name", event.node())
          .set("node", value(stored.node()))
          .set("gpu", event.gpu())
          .set("serial", event.serial())
          .set("xid", event.xid())
          .set("message", event.message())
          .set("verdict", stored.verdict())
          .set("incident", value(stored.incident()))
          .set("last_at", stored.lastAt() == null ? null : stored.lastAt().toString())
          .set("events", stored.events());
    }
    return transactions.forAllTenants(() ->
        new TreeSet<>(
            jdbc.sql(INSERT.text())
                .param("cluster", cluster.value())
                .param("received", Columns.parameter(receivedAt))
                .param("rows", rows.json())
                .query(String.class)
                .list()));
  }

  @Override
  public List<Place> places(ClusterId cluster, Collection<String> names) {
    return transactions.forAllTenants(() ->
        jdbc.sql(PLACES.text())
            .param("cluster", cluster.value())
            .param("names", names.toArray(String[]::new))
            .query((row, n) ->
                new Place(
                    new NodeId(Columns.uuid(row, "id")),
                    Columns.text(row, "name"),
                    row.getBoolean("faulty")))
            .list());
  }

  @Override
  public List<Instant> seen(ClusterId cluster, String gpu, int xid, Instant from, Instant to) {
    return transactions.forAllTenants(() -> times.seen(cluster, gpu, xid, from, to));
  }

  @Override
  public boolean shown(IncidentId incident, Instant since) {
    return transactions.forAllTenants(() -> times.shown(incident, since));
  }

  @Override
  public List<Incident> open(Collection<NodeId> nodes) {
    return open(OPEN, "nodes", Json.ids(nodes.stream().map(NodeId::value).toList()));
  }

  @Override
  public List<Incident> openOf(Collection<String> gpus) {
    return open(OPEN_OF_GPUS, "gpus", gpus.toArray(String[]::new));
  }

  @Override
  public List<Incident> open(ClusterId cluster) {
    return open(OPEN_OF_CLUSTER, "cluster", cluster.value());
  }

  private List<Incident> open(SqlFile query, String name, Object value) {
    return transactions.forAllTenants(() ->
        jdbc.sql(query.text()).param(name, value).query(PostgresHealthStore::incident).list());
  }

  @Override
  public Optional<Incident> incident(IncidentId id) {
    return transactions.forAllTenants(() ->
        jdbc.sql(INCIDENT.text())
            .param("id", id.value())
            .query(PostgresHealthStore::incident)
            .optional());
  }

  @Override
  public List<Incident> incidents(@Nullable NodeId node, @Nullable IncidentId before, int limit) {
    return newest(INCIDENTS, node, before, limit);
  }

  @Override
  public List<Incident> openIncidents(
      @Nullable NodeId node, @Nullable IncidentId before, int limit) {
    return newest(OPEN_NEWEST, node, before, limit);
  }

  private List<Incident> newest(
      SqlFile sql, @Nullable NodeId node, @Nullable IncidentId before, int limit) {
    return transactions.forAllTenants(() ->
        jdbc.sql(sql.text())
            .param("node", value(node))
            .param("before", value(before))
            .param("limit", limit)
            .query(PostgresHealthStore::incident)
            .list());
  }

  @Override
  public Optional<Incident> lastOfMachine(NodeId node) {
    return transactions.forAllTenants(() ->
        jdbc.sql(OF_MACHINE.text())
            .param("node", node.value())
            .query(PostgresHealthStore::incident)
            .optional());
  }

  @Override
  public void write(Hang hang) {
    int _ =
        transactions.forAllTenants(
            jdbc.sql(INSERT_HANG.text())
                    .param("id", hang.id().value())
                    .param("cluster", hang.cluster().value())
                    .param("job", hang.job().value())
                    .param("attempt", hang.attempt())
                    .param(
                        "nodes",
                        Json.ids(hang.nodes().keySet().stream().map(NodeId::value).toList()))
                    .param("names", hang.nodes().values().toArray(String[]::new))
                    .param("cause", hang.cause())
                    .param("since", Columns.parameter(hang.since()))
                    .param("at", Columns.parameter(hang.at()))
                ::update);
  }

  @Override
  public Optional<Hang> hang(IncidentId id) {
    return transactions.forAllTenants(() ->
        jdbc.sql(HANG.text()).param("id", id.value()).query(PostgresHealthStore::hang).optional());
  }

  @Override
  public List<Hang> hangs(@Nullable NodeId node, @Nullable IncidentId before, int limit) {
    return transactions.forAllTenants(() ->
        jdbc.sql(HANGS.text())
            .param("node", value(node))
            .param("before", value(before))
            .param("limit", limit)
            .query(PostgresHealthStore::hang)
            .list());
  }

  @Override
  public List<Incident> isolating(ClusterId cluster) {
    return transactions.forAllTenants(() ->
        jdbc.sql(ISOLATING.text())
            .param("cluster", cluster.value())
            .query(PostgresHealthStore::incident)
            .list());
  }

  @Override
  public void write(Incident incident) {
    boolean _ =
        transactions.forAllTenants(() -> {
          Incident before = incident(incident.id()).orElse(null);
          put(incident);
          fleetEvents.append(incident.cluster(), ACTOR, HealthFacts.of(before, incident));
          return true;
        });
  }

  private void put(Incident incident) {
    jdbc.sql(WRITE_INCIDENT.text())
        .param("id", incident.id().value())
        .param("cluster", incident.cluster().value())
        .param("node", incident.node().value())
        .param("node_name", incident.nodeName())
        .param("gpu", incident.gpu())
        .param("serial", incident.serial())
        .param("xid", incident.xid())
        .param("cause", incident.cause())
        .param("scope", incident.scope().name())
        .param("step", incident.step().name())
        .param("opened", Columns.parameter(incident.openedAt()))
        .param("last", Columns.parameter(incident.lastAt()))
        .param("events", incident.events())
        .param("isolation", incident.isolation())
        .param("ended", Columns.parameter(incident.endedAt()))
        .update();
  }

  @Override
  public List<Quarantine> quarantinesOf(Collection<IncidentId> incidents) {
    return transactions.forAllTenants(() -> quarantines.of(incidents));
  }

  @Override
  public List<Quarantine> standing(ClusterId cluster) {
    return transactions.forAllTenants(() -> quarantines.standing(cluster));
  }

  @Override
  public GpuNodes isolated(@Nullable String pool) {
    return transactions.forAllTenants(() ->
        jdbc.sql(GPU_NODES.text())
            .param("pool", pool)
            .query((row, n) -> new GpuNodes(row.getInt("isolated"), row.getInt("all_nodes")))
            .single());
  }

  @Override
  public @Nullable Instant lastReleased(ClusterId cluster, @Nullable NodeId node) {
    return transactions
        .forAllTenants(() ->
            jdbc.sql(LAST_RELEASED.text())
                .param("cluster", cluster.value())
                .param("cleared", Incident.CLEARED)
                .param("node", value(node))
                .query((row, n) -> Optional.ofNullable(Columns.instantOrNull(row, "at")))
                .single())
        .orElse(null);
  }

  @Override
  public SortedMap<NodeId, Instant> released(Set<NodeId> nodes, Instant after) {
    return transactions.forAllTenants(() -> times.released(nodes, after));
  }

  @Override
  public void write(Collection<Quarantine> rows) {
    if (!rows.isEmpty()) {
      changed(() ->
          quarantines
              .write(rows)
              .forEach((cluster, facts) -> fleetEvents.append(cluster, ACTOR, facts)));
    }
  }

  @Override
  public List<DomainQuarantine> domains() {
    return transactions.forAllTenants(domains::standing);
  }

  @Override
  public List<DomainQuarantine> domains(ClusterId cluster) {
    return transactions.forAllTenants(() -> domains.standing(cluster));
  }

  @Override
  public List<DomainQuarantine> domains(
      ClusterId cluster, boolean standing, @Nullable DomainQuarantineId before, int limit) {
    return transactions.forAllTenants(() -> domains.of(cluster, standing, before, limit));
  }

  @Override
  public Optional<DomainQuarantine> domain(DomainQuarantineId id) {
    return transactions.forAllTenants(() -> domains.one(id));
  }

  @Override
  public SortedMap<DomainQuarantineId, Integer> covered(Collection<DomainQuarantineId> ids) {
    return transactions.forAllTenants(() -> domains.covered(ids));
  }

  @Override
  public void write(DomainQuarantine quarantine) {
    changed(() -> {
      if (quarantine.version() == 1) {
        domains.insert(quarantine);
      } else {
        domains.update(quarantine);
      }
    });
  }

  @Override
  public void write(AnnouncedNotice notice) {
    changed(() -> notices.write(notice));
  }

  @Override
  public Optional<AnnouncedNotice> announced(ClusterId cluster, String id) {
    return transactions.forAllTenants(() -> notices.one(cluster, id));
  }

  @Override
  public List<AnnouncedNotice> announced(ClusterId cluster, Instant after) {
    return transactions.forAllTenants(() -> notices.open(cluster, after));
  }

  @Override
  public List<AnnouncedNotice> announced(ClusterId cluster, String node, Instant after) {
    return transactions.forAllTenants(() -> notices.open(cluster, node, after));
  }

  private void changed(Runnable change) {
    boolean _ =
        transactions.forAllTenants(() -> {
          change.run();
          changes.note(Change.INVENTORY);
          return true;
        });
  }

  private static @Nullable String value(@Nullable Id id) {
    return id == null ? null : id.value().toString();
  }

  private static Incident incident(ResultSet row, int number) throws SQLException {
    return IncidentBuilder.builder()
        .id(new IncidentId(Columns.uuid(row, "id")))
        .cluster(new ClusterId(Columns.uuid(row, "cluster")))
        .node(new NodeId(Columns.uuid(row, "node")))
        .nodeName(Columns.text(row, "node_name"))
        .gpu(row.getString("gpu"))
        .serial(row.getString("serial"))
        .xid(row.getInt("xid"))
        .cause(Columns.text(row, "cause"))
        .scope(Columns.value(row, "scope", FaultScope.class))
        .step(Columns.value(row, "step", RepairStep.class))
        .openedAt(Columns.instant(row, "opened_at"))
        .lastAt(Columns.instant(row, "last_at"))
        .events(row.getInt("events"))
        .isolation(Columns.text(row, "isolation"))
        .endedAt(Columns.instantOrNull(row, "ended_at"))
        .build();
  }

  private static Hang hang(ResultSet row, int number) throws SQLException {
    UUID[] ids = (UUID[]) row.getArray("nodes").getArray();
    String[] names = (String[]) row.getArray("node_names").getArray();
    SortedMap<NodeId, String> nodes = new TreeMap<>();
    for (int i = 0; i < ids.length; i++) {
      nodes.put(new NodeId(ids[i]), names[i]);
    }
    return HangBuilder.builder()
        .id(new IncidentId(Columns.uuid(row, "id")))
        .cluster(new ClusterId(Columns.uuid(row, "cluster")))
        .job(new JobId(Columns.uuid(row, "job")))
        .attempt(Columns.text(row, "attempt"))
        .nodes(nodes)
        .cause(Columns.text(row, "cause"))
        .since(Columns.instant(row, "since"))
        .at(Columns.instant(row, "at"))
        .build();
  }
}
