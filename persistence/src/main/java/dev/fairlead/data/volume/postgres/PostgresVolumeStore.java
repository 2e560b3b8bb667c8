package dev.fairlead.data.volume.postgres;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeBreaker;
import dev.fairlead.data.volume.VolumeBuilder;
import dev.fairlead.data.volume.VolumeId;
import dev.fairlead.data.volume.VolumeState;
import dev.fairlead.data.volume.VolumeStay;
import dev.fairlead.data.volume.VolumeStayBuilder;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.postgres.BelievedTime;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresVolumeStore implements VolumeStore {
  private static final SqlFile OF_PROJECT = SqlFile.named("volume/of-project");
  private static final SqlFile WITH_CLAIM = SqlFile.named("volume/with-claim");
  private static final SqlFile USERS = SqlFile.named("volume/users");
  private static final SqlFile MOUNTING = SqlFile.named("volume/mounting");
  private static final SqlFile INSERT = SqlFile.named("volume/insert-volume");
  private static final SqlFile UPDATE = SqlFile.named("volume/update-volume");
  private static final SqlFile DELETE = SqlFile.named("volume/delete-volume");
  private static final SqlFile PLACED = SqlFile.named("volume/placed");
  private static final SqlFile ON_CLUSTER = SqlFile.named("volume/on-cluster");
  private static final SqlFile LOCK = SqlFile.named("volume/lock-volumes");
  private static final SqlFile END_STAY = SqlFile.named("volume/end-stay");
  private static final SqlFile STAYS = SqlFile.named("volume/stays");
  private static final SqlFile FORGET_STAYS = SqlFile.named("volume/forget-stays");
  private static final SqlFile UNPLACE = SqlFile.named("volume/unplace");
  private static final SqlFile BREAKERS = SqlFile.named("volume/breakers");
  private static final SqlFile MARK_MISSING = SqlFile.named("volume/mark-missing");
  private static final SqlFile CONFIRM_LOSS = SqlFile.named("volume/confirm-loss");
  private static final SqlFile CONFIRMED = SqlFile.named("volume/confirmed");
  private static final String TENANT = "tenant";
  private static final int FETCHED = 2_000;

  private final Transactions transactions;
  private final JdbcClient jdbc;
  private final BelievedTime time;

  PostgresVolumeStore(Transactions transactions, JdbcClient jdbc, BelievedTime time) {
    this.transactions = transactions;
    this.jdbc = jdbc;
    this.time = time;
  }

  @Override
  public List<Volume> all(TenantId tenant, ProjectId project) {
    return read(tenant, project, null);
  }

  @Override
  public Optional<Volume> find(TenantId tenant, ProjectId project, String name) {
    return named(tenant, project, List.of(name)).stream().findFirst();
  }

  @Override
  public List<Volume> named(TenantId tenant, ProjectId project, Collection<String> names) {
    return read(tenant, project, Json.write(names));
  }

  private List<Volume> read(TenantId tenant, ProjectId project, @Nullable String names) {
    return transactions.inTenant(
        tenant,
        () ->
            jdbc.sql(OF_PROJECT.text())
                .param(TENANT, tenant.value())
                .param("project", project.value())
                .param("names", names, Types.VARCHAR)
                .query((row, n) -> volume(row))
                .list());
  }

  @Override
  public List<Volume> withClaim(TenantId tenant) {
    return transactions.inTenant(
        tenant,
        () ->
            jdbc.sql(WITH_CLAIM.text())
                .param(TENANT, tenant.value())
                .query((row, n) -> volume(row))
                .list());
  }

  @Override
  public List<String> users(TenantId tenant, ProjectId project, String name, int most) {
    return transactions.inTenant(
        tenant,
        () ->
            jdbc.sql(USERS.text())
                .param(TENANT, tenant.value())
                .param("project", project.value())
                .param("name", name)
                .param("most", most)
                .query(String.class)
                .list());
  }

  @Override
  public List<String> mounting(Volume volume, @Nullable Instant writersSince, int most) {
    return transactions.inTenant(
        volume.tenant(),
        () ->
            jdbc.sql(MOUNTING.text())
                .param(TENANT, volume.tenant().value())
                .param("project", volume.project().value())
                .param("name", volume.name())
                .param("claim", volume.claimName())
                .param("since", Columns.parameter(writersSince), Types.TIMESTAMP_WITH_TIMEZONE)
                .param("most", most)
                .query(String.class)
                .list());
  }

  private static Volume volume(ResultSet row) throws SQLException {
    UUID cluster = row.getObject("cluster", UUID.class);
    return VolumeBuilder.builder()
        .id(Columns.uuid(row, "id"))
        .tenant(new TenantId(Columns.uuid(row, TENANT)))
        .project(new ProjectId(Columns.uuid(row, "project")))
        .name(Columns.text(row, "name"))
        .request(
            new Volume.Request(
                row.getLong("size_gib"),
                row.getString("storage_class"),
                Volume.Access.valueOf(Columns.text(row, "access"))))
        .retain(row.getBoolean("retain"))
        .state(VolumeState.valueOf(Columns.text(row, "state")))
        .cluster(cluster == null ? null : new ClusterId(cluster))
        .claim(row.getString("claim"))
        .claimUid(row.getString("claim_uid"))
        .provisionedAt(Columns.instantOrNull(row, "provisioned_at"))
        .boundAt(Columns.instantOrNull(row, "bound_at"))
        .nodeLabels(Json.texts(Columns.text(row, "node_labels")))
        .message(row.getString("message"))
        .missingSince(Columns.instantOrNull(row, "missing_since"))
        .made(new Volume.Made(Columns.instant(row, "created_at"), Columns.text(row, "created_by")))
        .version(row.getLong("version"))
        .build();
  }

  @Override
  public void insert(Volume volume) {
    Conflict.unlessOne(
        transactions.inTenant(
            volume.tenant(),
            () ->
                changing(INSERT, volume)
                    .param("project", volume.project().value())
                    .param("sizeGib", volume.request().sizeGib())
                    .param("storageClass", volume.request().storageClass(), Types.VARCHAR)
                    .param("access", volume.request().access().name())
                    .param("retain", volume.retain())
                    .param("createdAt", Columns.parameter(volume.made().at()))
                    .param("createdBy", volume.made().by())
                    .update()),
        Conflict.Guard.NAME_TAKEN,
        volume.name());
  }

  @Override
  public void update(Volume volume) {
    transactions.runInTenant(
        volume.tenant(),
        () -> {
          if (volume.state() == VolumeState.LOST) {
            endStay(volume);
          }
          seen(volume, changing(UPDATE, volume).update());
        });
  }

  /** The claim no longer counts. Runs before its row is marked as lost, or deleted. */
  private void endStay(Volume volume) {
    int _ =
        jdbc.sql(END_STAY.text())
            .param(TENANT, volume.tenant().value())
            .param("id", volume.id())
            .param("host", time.hostMillis())
            .update();
  }

  @Override
  public void stays(TenantId tenant, Instant from, Instant to, Consumer<VolumeStay> each) {
    transactions.runInTenant(
        tenant,
        () -> {
          jdbc.sql(STAYS.text())
              .withFetchSize(FETCHED)
              .param(TENANT, tenant.value())
              .param("from", Columns.parameter(from))
              .param("to", Columns.parameter(to))
              .query(row -> {
                each.accept(stay(row));
              });
        });
  }

  private static VolumeStay stay(ResultSet row) throws SQLException {
    return VolumeStayBuilder.builder()
        .volume(new VolumeId(Columns.uuid(row, "volume")))
        .project(new ProjectId(Columns.uuid(row, "project")))
        .name(Columns.text(row, "name"))
        .sizeGib(row.getLong("size_gib"))
        .storageClass(row.getString("storage_class"))
        .cluster(new ClusterId(Columns.uuid(row, "cluster")))
        .from(Columns.instant(row, "begun_at"))
        .to(Columns.instant(row, "ended_at"))
        .build();
  }

  @Override
  public int forgetStays(Instant endedBefore, int most) {
    return transactions.forAllTenants(
        jdbc.sql(FORGET_STAYS.text())
                .param("before", Columns.parameter(endedBefore))
                .param("most", most)
            ::update);
  }

  private JdbcClient.StatementSpec changing(SqlFile file, Volume volume) {
    ClusterId cluster = volume.cluster();
    return jdbc.sql(file.text())
        .param("id", volume.id())
        .param(TENANT, volume.tenant().value())
        .param("name", volume.name())
        .param("state", volume.state().name())
        .param("cluster", cluster == null ? null : cluster.value(), Types.OTHER)
        .param("claim", volume.claim(), Types.VARCHAR)
        .param("claimUid", volume.claimUid(), Types.VARCHAR)
        .param(
            "provisionedAt",
            Columns.parameter(volume.provisionedAt()),
            Types.TIMESTAMP_WITH_TIMEZONE)
        .param("boundAt", Columns.parameter(volume.boundAt()), Types.TIMESTAMP_WITH_TIMEZONE)
        .param("nodeLabels", Json.write(volume.nodeLabels()))
        .param("message", volume.message(), Types.VARCHAR)
        .param("version", volume.version());
  }

  @Override
  public void delete(Volume volume) {
    transactions.runInTenant(
        volume.tenant(),
        () -> {
          endStay(volume);
          seen(
              volume,
              jdbc.sql(DELETE.text())
                  .param(TENANT, volume.tenant().value())
                  .param("id", volume.id())
                  .param("version", volume.version())
                  .update());
        });
  }

  private static void seen(Volume volume, int rows) {
    Conflict.unlessOne(rows, Conflict.Guard.VERSION, volume.name());
  }

  @Override
  public List<Volume> placed() {
    return transactions.forAllTenants(
        () -> jdbc.sql(PLACED.text()).query((row, n) -> volume(row)).list());
  }

  @Override
  public List<Volume> on(ClusterId cluster) {
    return of(cluster, false);
  }

  @Override
  public List<Volume> lost(ClusterId cluster) {
    return of(cluster, true);
  }

  private List<Volume> of(ClusterId cluster, boolean lost) {
    return transactions.forAllTenants(() ->
        jdbc.sql(ON_CLUSTER.text())
            .param("lost", lost)
            .param("cluster", cluster.value())
            .query((row, n) -> volume(row))
            .list());
  }

  @Override
  public List<Volume> lock(Collection<Key> keys) {
    if (keys.isEmpty()) {
      return List.of();
    }
    RowBatch rows = new RowBatch();
    keys.forEach(key -> rows.row().set("project", key.project().value()).set("name", key.name()));
    return transactions.forAllTenants(() ->
        jdbc.sql(LOCK.text()).param("keys", rows.json()).query((row, n) -> volume(row)).list());
  }

  @Override
  public SortedMap<ClusterId, VolumeBreaker> breakers() {
    SortedMap<ClusterId, VolumeBreaker> open = new TreeMap<>();
    transactions
        .forAllTenants(() ->
            jdbc.sql(BREAKERS.text())
                .query((row, n) ->
                    new VolumeBreaker(
                        new ClusterId(Columns.uuid(row, "cluster")),
                        row.getInt("volumes"),
                        row.getInt("claims"),
                        Columns.instant(row, "since")))
                .list())
        .forEach(one -> open.put(one.cluster(), one));
    return open;
  }

  @Override
  public void mark(ClusterId cluster, Collection<UUID> missing, Instant now) {
    int _ =
        transactions.forAllTenants(
            jdbc.sql(MARK_MISSING.text())
                    .param("cluster", cluster.value())
                    .param("ids", Json.write(missing.stream().map(UUID::toString).toList()))
                    .param("now", Columns.parameter(now))
                ::update);
  }

  @Override
  public SortedMap<TenantId, Integer> confirm(ClusterId cluster) {
    SortedMap<TenantId, Integer> confirmed = new TreeMap<>();
    transactions
        .forAllTenants(() ->
            jdbc.sql(CONFIRM_LOSS.text())
                .param("cluster", cluster.value())
                .query((row, n) -> new TenantId(Columns.uuid(row, TENANT)))
                .list())
        .forEach(tenant -> confirmed.merge(tenant, 1, Integer::sum));
    return confirmed;
  }

  @Override
  public SortedSet<UUID> confirmed(ClusterId cluster) {
    return new TreeSet<>(
        transactions.forAllTenants(() ->
            jdbc.sql(CONFIRMED.text()).param("cluster", cluster.value()).query(UUID.class).list()));
  }

  @Override
  public int unplace() {
    return transactions.forAllTenants(() -> jdbc.sql(UNPLACE.text()).update());
  }
}
