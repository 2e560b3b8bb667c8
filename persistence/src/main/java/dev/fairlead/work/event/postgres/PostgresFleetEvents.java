package dev.fairlead.work.event.postgres;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.event.FleetEventType;
import dev.fairlead.work.event.FleetEvents;
import dev.fairlead.work.event.FleetFact;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.core.type.TypeReference;

/** {@link FleetEvents} on PostgreSQL. Rows for readers of the fleet have a tenant of zeros. */
@Component
class PostgresFleetEvents implements FleetEvents {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresFleetEvents.class);
  private static final SqlFile NAMES = SqlFile.named("event/fleet-names");
  private static final SqlFile PROJECTS = SqlFile.named("event/fleet-projects");
  private static final SqlFile WAITING = SqlFile.named("event/held-subjects");
  private static final SqlFile TOGETHER = SqlFile.named("event/flapping-together");
  private static final SqlFile HOLD = SqlFile.named("event/hold-fleet-events");
  private static final SqlFile RELEASE = SqlFile.named("event/release-fleet-events");
  private static final SqlFile INSERT = SqlFile.named("job/insert-events");
  private static final List<String> NODE_STATES =
      Arrays.stream(FleetEventType.values())
          .filter(FleetEventType::ofNodeState)
          .map(FleetEventType::text)
          .toList();
  private static final TypeReference<List<String>> TEXTS = new TypeReference<>() {};

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresFleetEvents(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public void append(ClusterId cluster, String actor, List<FleetFact> facts) {
    if (facts.isEmpty()) {
      return;
    }
    boolean _ =
        transactions.forAllTenants(() -> {
          Set<UUID> waiting = waiting(cluster, facts);
          List<FleetFact> bounded = FleetFact.bounded(cluster, facts, waiting);
          Set<UUID> held =
              hold(cluster, actor, bounded.stream().filter(FleetFact::flaps).toList(), waiting);
          List<FleetFact> free =
              bounded.stream().filter(f -> !(f.flaps() && held.contains(f.id()))).toList();
          if (!free.isEmpty()) {
            write(cluster, actor, free, FleetFact.forProjects(free, facts));
          }
          return true;
        });
  }

  /** The objects with a held change, and the nodes that too many shared events name. */
  private Set<UUID> waiting(ClusterId cluster, List<FleetFact> facts) {
    String subjects = Json.ids(facts.stream().map(FleetFact::id).distinct().toList());
    Set<UUID> waiting =
        new TreeSet<>(
            jdbc.sql(WAITING.text()).param("subjects", subjects).query(UUID.class).list());
    if (facts.size() > FleetFact.SEPARATE) {
      waiting.addAll(
          jdbc.sql(TOGETHER.text())
              .param("subjects", subjects)
              .param("cluster", cluster.value())
              .param("types", NODE_STATES)
              .param("fleet", FLEET.value())
              .param("burst", BURST)
              .param("window", WINDOW.toString())
              .query(UUID.class)
              .list());
    }
    return waiting;
  }

  private Set<UUID> hold(
      ClusterId cluster, String actor, List<FleetFact> facts, Set<UUID> waiting) {
    if (facts.isEmpty()) {
      return Set.of();
    }
    RowBatch rows = new RowBatch();
    facts.forEach(fact ->
        rows.row()
            .set("subject", fact.id())
            .set("waits", waiting.contains(fact.id()))
            .set("fact", fact));
    return new TreeSet<>(
        jdbc.sql(HOLD.text())
            .param("rows", rows.json())
            .param("cluster", cluster.value())
            .param("actor", actor)
            .param("fleet", FLEET.value())
            .param("burst", BURST)
            .param("window", WINDOW.toString())
            .query(UUID.class)
            .list());
  }

  @Override
  public int release(int most) {
    return transactions.forAllTenants(() -> {
      List<Held> due =
          jdbc.sql(RELEASE.text()).param("most", most).query(PostgresFleetEvents::held).list();
      Map<Origin, List<FleetFact>> facts = new LinkedHashMap<>();
      for (Held each : due) {
        each.read()
            .ifPresent(fact -> facts.computeIfAbsent(each.of(), _ -> new ArrayList<>()).add(fact));
      }
      facts.forEach((of, its) -> {
        List<FleetFact> bounded = FleetFact.bounded(of.cluster(), its, Set.of());
        write(of.cluster(), of.actor(), bounded, bounded);
      });
      return due.size();
    });
  }

  private record Origin(ClusterId cluster, String actor) {}

  private record Held(Origin of, int held, String fact) {
    /** The result is empty if another version of Fairlead stored the fact in another form. */
    Optional<FleetFact> read() {
      try {
        return Optional.of(Json.read(fact, FleetFact.class).with("changes", held));
      } catch (RuntimeException unreadable) {
        LOG.warn(
            "a queued change of cluster {} cannot be read, so its event is lost: {}",
            of.cluster().text(),
            fact,
            unreadable);
        return Optional.empty();
      }
    }
  }

  private static Held held(ResultSet row, int number) throws SQLException {
    return new Held(
        new Origin(new ClusterId(Columns.uuid(row, "cluster")), Columns.text(row, "actor")),
        row.getInt("held"),
        Columns.text(row, "fact"));
  }

  private void write(
      ClusterId cluster, String actor, List<FleetFact> facts, List<FleetFact> forProjects) {
    Names names = names(cluster, facts);
    RowBatch asked = new RowBatch();
    RowBatch rows = new RowBatch();
    for (FleetFact fact : facts) {
      Fact shown = fact.forFleet(names.cluster(), names.of(fact.nodes()));
      row(rows, fact, shown, names, actor, FLEET.value(), null);
    }
    for (FleetFact fact : forProjects) {
      asked
          .row()
          .set("subject", fact.id())
          .set("nodes", fact.nodes())
          .set("gpu", fact.gpu())
          .set("follows", fact.follows());
    }
    jdbc.sql(PROJECTS.text())
        .param("rows", asked.json())
        .param("cluster", cluster.value())
        .param("fleet", FLEET.value())
        .query(row -> {
          FleetFact fact = forProjects.get(row.getInt("ord"));
          Fact shown =
              fact.forProject(
                  names.cluster(),
                  texts(row.getString("nodes")),
                  texts(row.getString("jobs")),
                  row.getInt("job_count"));
          UUID tenant = Columns.uuid(row, "tenant");
          row(rows, fact, shown, names, actor, tenant, Columns.uuid(row, "project"));
        });
    jdbc.sql(INSERT.text()).param("rows", rows.json()).update();
  }

  private static void row(
      RowBatch rows,
      FleetFact fact,
      Fact shown,
      Names names,
      String actor,
      UUID tenant,
      @Nullable UUID project) {
    rows.row()
        .set("type", shown.type())
        .set("subject_kind", fact.subject())
        .set("subject", fact.id())
        .set("version", fact.version() == 0 ? names.version() : fact.version())
        .set("actor", actor)
        .set("tenant", tenant)
        .set("project", project)
        .set("data", shown.data());
  }

  private static List<String> texts(@Nullable String json) {
    return json == null ? List.of() : Json.read(json, TEXTS);
  }

  /**
   * Names of a cluster and of nodes.
   *
   * @param version version of the cluster
   */
  private record Names(String cluster, long version, TreeMap<UUID, String> nodes) {
    List<String> of(Collection<UUID> ids) {
      return ids.stream().map(id -> nodes.getOrDefault(id, IdText.encode(id))).toList();
    }
  }

  private Names names(ClusterId cluster, List<FleetFact> facts) {
    TreeMap<UUID, String> nodes = new TreeMap<>();
    String[] name = {cluster.text()};
    long[] version = {1};
    jdbc.sql(NAMES.text())
        .param("cluster", cluster.value())
        .param(
            "nodes", Json.ids(facts.stream().flatMap(f -> f.nodes().stream()).distinct().toList()))
        .query(row -> {
          UUID node = Columns.uuidOrNull(row, "node");
          if (node == null) {
            name[0] = Columns.text(row, "name");
            version[0] = row.getLong("version");
          } else {
            nodes.put(node, Columns.text(row, "name"));
          }
        });
    return new Names(name[0], version[0], nodes);
  }
}
