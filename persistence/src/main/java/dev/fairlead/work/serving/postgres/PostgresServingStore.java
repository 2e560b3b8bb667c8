package dev.fairlead.work.serving.postgres;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.Change;
import dev.fairlead.kernel.postgres.Changes;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Constraints;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.OwnedService;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceTraffic;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.ServingStore;
import dev.fairlead.work.serving.TrafficCount;
import dev.fairlead.work.serving.signal.Reading;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;
import org.springframework.stereotype.Component;

@Component
class PostgresServingStore implements ServingStore {
  private static final SqlFile ALL = SqlFile.named("serving/services");
  private static final SqlFile FIND = SqlFile.named("serving/service");
  private static final SqlFile INSERT = SqlFile.named("serving/insert-service");
  private static final SqlFile UPDATE = SqlFile.named("serving/update-service");
  private static final SqlFile INSERT_VERSION = SqlFile.named("serving/insert-version");
  private static final SqlFile VERSION = SqlFile.named("serving/version");
  private static final SqlFile VERSIONS = SqlFile.named("serving/versions");
  private static final SqlFile COUNT_VERSIONS = SqlFile.named("serving/count-versions");
  private static final SqlFile OWNED = SqlFile.named("serving/owned");
  private static final SqlFile DELETE_VERSION = SqlFile.named("serving/delete-version");
  private static final SqlFile CLEAR_READY = SqlFile.named("serving/clear-ready");
  private static final SqlFile PUT_TRAFFIC = SqlFile.named("serving/put-traffic");
  private static final SqlFile TRAFFIC = SqlFile.named("serving/traffic");
  private static final String CONTENT = "content";
  private static final String TENANT = "tenant";
  private static final String SERVICE = "service";

  private final Transactions transactions;
  private final JdbcClient jdbc;
  private final Changes changes;

  PostgresServingStore(Transactions transactions, JdbcClient jdbc, Changes changes) {
    this.transactions = transactions;
    this.jdbc = jdbc;
    this.changes = changes;
  }

  private static <T> List<T> contents(StatementSpec statement, Class<T> type) {
    return statement.query((row, n) -> Json.read(Columns.text(row, CONTENT), type)).list();
  }

  @Override
  public List<ServiceState> all() {
    return transactions.forAllTenants(() -> contents(jdbc.sql(ALL.text()), ServiceState.class));
  }

  @Override
  public List<OwnedService> owned(String cluster) {
    return transactions.forAllTenants(() ->
        jdbc.sql(OWNED.text())
            .param("cluster", cluster)
            .query((row, n) ->
                new OwnedService(
                    new ProjectId(Columns.uuid(row, "project")),
                    Json.read(Columns.text(row, "body"), ModelService.class),
                    Json.read(Columns.text(row, CONTENT), ServiceState.class),
                    List.of()))
            .list());
  }

  @Override
  public Optional<ServiceState> find(TenantId tenant, String document) {
    return transactions.inTenant(
        tenant,
        () ->
            contents(
                    jdbc.sql(FIND.text()).param(TENANT, tenant.value()).param("document", document),
                    ServiceState.class)
                .stream()
                .findFirst());
  }

  @Override
  public void insert(ServiceState state) {
    write(
        jdbc.sql(INSERT.text())
            .param("document", state.document())
            .param(TENANT, state.tenant().value()),
        state);
  }

  @Override
  public void update(ServiceState state) {
    write(jdbc.sql(UPDATE.text()), state);
  }

  private void write(StatementSpec statement, ServiceState state) {
    StatementSpec filled =
        statement
            .param("id", state.id().value())
            .param("route", state.route())
            .param("revision", state.revision())
            .param(CONTENT, Json.write(state));
    int written =
        transactions.inTenant(
            state.tenant(),
            () -> {
              int[] rows = new int[1];
              Constraints.unique(
                  () -> rows[0] = filled.update(),
                  () -> new Conflict(Guard.NAME_TAKEN, state.route()));
              return rows[0];
            });
    Conflict.unlessOne(written, Guard.VERSION, state.document());
  }

  @Override
  public void changed(WakeUps.Topic topic) {
    changes.note(Change.valueOf(topic.name()));
  }

  @Override
  public void insert(TenantId tenant, ServiceVersion version) {
    int _ =
        transactions.inTenant(
            tenant,
            () ->
                of(INSERT_VERSION, tenant, version.service())
                    .param("number", version.number())
                    .param(CONTENT, Json.write(version))
                    .update());
  }

  private StatementSpec of(SqlFile file, TenantId tenant, ModelServiceId service) {
    return jdbc.sql(file.text()).param(TENANT, tenant.value()).param(SERVICE, service.value());
  }

  @Override
  public Optional<ServiceVersion> version(TenantId tenant, ModelServiceId service, int number) {
    return transactions.inTenant(
        tenant,
        () ->
            contents(of(VERSION, tenant, service).param("number", number), ServiceVersion.class)
                .stream()
                .findFirst());
  }

  @Override
  public List<ServiceVersion> versions(
      TenantId tenant, ModelServiceId service, int before, int limit) {
    return transactions.inTenant(
        tenant,
        () ->
            contents(
                of(VERSIONS, tenant, service).param("before", before).param("limit", limit),
                ServiceVersion.class));
  }

  @Override
  public int countVersions(TenantId tenant, ModelServiceId service) {
    return transactions.inTenant(
        tenant, () -> of(COUNT_VERSIONS, tenant, service).query(Integer.class).single());
  }

  @Override
  public boolean deleteVersion(TenantId tenant, ModelServiceId service, int number) {
    return transactions.inTenant(
        tenant, () -> of(DELETE_VERSION, tenant, service).param("number", number).update() > 0);
  }

  @Override
  public void report(ClusterId cluster, List<ServiceTraffic> seen) {
    transactions.forAllTenants(() -> {
      int _ = jdbc.sql(CLEAR_READY.text()).param("cluster", cluster.value()).update();
      for (ServiceTraffic each : seen) {
        int _ =
            jdbc.sql(PUT_TRAFFIC.text())
                .param(SERVICE, each.service().value())
                .param("version", each.version())
                .param("cluster", cluster.value())
                .param("requests", each.count().requests())
                .param("bad", each.count().bad())
                .param("millis", each.count().millis())
                .param("counted_at", Columns.parameter(each.countedAt()))
                .param("ready", Json.ids(each.ready().stream().map(JobId::value).toList()))
                .param("readings", Json.write(each.readings()))
                .update();
      }
      return seen.size();
    });
  }

  @Override
  public List<ServiceTraffic> traffic(TenantId tenant, ModelServiceId service) {
    return transactions.inTenant(
        tenant,
        () ->
            ServiceTraffic.summed(
                of(TRAFFIC, tenant, service)
                    .query((row, n) -> {
                      SortedSet<JobId> ready = new TreeSet<>();
                      Columns.uuids(row, "ready").forEach(id -> ready.add(new JobId(id)));
                      return new ServiceTraffic(
                          service,
                          row.getInt("version"),
                          new TrafficCount(
                              row.getLong("requests"), row.getLong("bad"), row.getLong("millis")),
                          Columns.instantOrNull(row, "counted_at"),
                          ready,
                          List.of(Json.read(Columns.text(row, "readings"), Reading[].class)));
                    })
                    .list()));
  }
}
