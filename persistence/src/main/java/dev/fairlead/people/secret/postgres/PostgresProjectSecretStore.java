package dev.fairlead.people.secret.postgres;

import dev.fairlead.kernel.encryption.Envelope;
import dev.fairlead.kernel.encryption.Keyring;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.secret.ProjectSecret;
import dev.fairlead.people.secret.ProjectSecretBuilder;
import dev.fairlead.people.secret.ProjectSecretStore;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * {@link ProjectSecretStore} on PostgreSQL. Encrypted values are bound to their owner, so they
 * cannot be used in another row, or under another name or version.
 */
@Component
class PostgresProjectSecretStore implements ProjectSecretStore {
  private static final SqlFile OF_PROJECT = SqlFile.named("projectsecret/of-project");
  private static final SqlFile SEALED = SqlFile.named("projectsecret/sealed");
  private static final SqlFile INSERT = SqlFile.named("projectsecret/insert-secret");
  private static final SqlFile UPDATE = SqlFile.named("projectsecret/update-secret");
  private static final SqlFile DELETE = SqlFile.named("projectsecret/delete-secret");

  private final Transactions transactions;
  private final JdbcClient jdbc;
  private final Keyring keys;

  PostgresProjectSecretStore(Transactions transactions, JdbcClient jdbc, Keyring keys) {
    this.transactions = transactions;
    this.jdbc = jdbc;
    this.keys = keys;
  }

  @Override
  public List<ProjectSecret> all(TenantId tenant, ProjectId project) {
    return read(tenant, project, null);
  }

  @Override
  public Optional<ProjectSecret> find(TenantId tenant, ProjectId project, String name) {
    return named(tenant, project, List.of(name)).stream().findFirst();
  }

  @Override
  public List<ProjectSecret> named(TenantId tenant, ProjectId project, Collection<String> names) {
    return read(tenant, project, Json.write(names));
  }

  private List<ProjectSecret> read(TenantId tenant, ProjectId project, @Nullable String names) {
    return transactions.inTenant(
        tenant,
        () ->
            of(OF_PROJECT, tenant, project)
                .param("names", names, Types.VARCHAR)
                .query((row, n) -> secret(row))
                .list());
  }

  private JdbcClient.StatementSpec of(SqlFile file, TenantId tenant, ProjectId project) {
    return jdbc.sql(file.text()).param("tenant", tenant.value()).param("project", project.value());
  }

  private static ProjectSecret secret(ResultSet row) throws SQLException {
    SortedMap<String, Integer> sizes = new TreeMap<>();
    Json.amounts(Columns.text(row, "sizes"))
        .forEach((key, bytes) -> sizes.put(key, Math.toIntExact(bytes)));
    return ProjectSecretBuilder.builder()
        .id(Columns.uuid(row, "id"))
        .tenant(new TenantId(Columns.uuid(row, "tenant")))
        .project(new ProjectId(Columns.uuid(row, "project")))
        .name(Columns.text(row, "name"))
        .keys(sizes)
        .createdAt(Columns.instant(row, "created_at"))
        .changed(
            new ProjectSecret.Change(
                Columns.instant(row, "updated_at"), Columns.text(row, "updated_by")))
        .version(row.getLong("version"))
        .build();
  }

  /** Read in a transaction and decrypted after it. */
  @Override
  public SortedMap<String, SortedMap<String, Secret>> values(List<ProjectSecret> seen) {
    if (seen.isEmpty()) {
      return Collections.emptySortedMap();
    }
    RowBatch rows = new RowBatch();
    seen.forEach(
        secret -> rows.row().set("id", secret.id().toString()).set("version", secret.version()));
    ProjectSecret first = seen.getFirst();
    List<Sealed> sealed =
        transactions.inTenant(
            first.tenant(),
            () ->
                of(SEALED, first.tenant(), first.project())
                    .param("rows", rows.json())
                    .query((row, n) -> sealed(row))
                    .list());
    SortedMap<String, SortedMap<String, Secret>> values = new TreeMap<>();
    sealed.forEach(each -> values.put(each.name(), opened(each)));
    return values;
  }

  private record Sealed(String name, String owner, long version, Envelope envelope) {}

  private static Sealed sealed(ResultSet row) throws SQLException {
    return new Sealed(
        Columns.text(row, "name"),
        SecretOwner.of(row),
        row.getLong("version"),
        new Envelope(
            Columns.text(row, "key_id"),
            Columns.text(row, "data_key"),
            Columns.text(row, "content")));
  }

  private SortedMap<String, Secret> opened(Sealed sealed) {
    String plain =
        new String(
            keys.open(
                sealed.envelope(),
                sealed.owner(),
                SecretOwner.content(sealed.owner(), sealed.version())),
            StandardCharsets.UTF_8);
    SortedMap<String, Secret> values = new TreeMap<>();
    Json.texts(plain).forEach((key, value) -> values.put(key, new Secret(value)));
    return values;
  }

  @Override
  public void insert(ProjectSecret secret, SortedMap<String, Secret> values) {
    Conflict.unlessOne(write(INSERT, secret, values), Conflict.Guard.NAME_TAKEN, secret.name());
  }

  @Override
  public void update(ProjectSecret secret, SortedMap<String, Secret> values) {
    seen(secret, write(UPDATE, secret, values));
  }

  private int write(SqlFile file, ProjectSecret secret, SortedMap<String, Secret> values) {
    SortedMap<String, String> plain = new TreeMap<>();
    values.forEach((key, value) -> plain.put(key, value.reveal()));
    String owner = SecretOwner.of(secret);
    Envelope sealed =
        keys.seal(
            Json.write(plain).getBytes(StandardCharsets.UTF_8),
            owner,
            SecretOwner.content(owner, secret.version()));
    return transactions.inTenant(
        secret.tenant(),
        () ->
            jdbc.sql(file.text())
                .param("id", secret.id())
                .param("tenant", secret.tenant().value())
                .param("project", secret.project().value())
                .param("name", secret.name())
                .param("sizes", Json.write(secret.keys()))
                .param("createdAt", Columns.parameter(secret.createdAt()))
                .param("updatedAt", Columns.parameter(secret.changed().at()))
                .param("updatedBy", secret.changed().by())
                .param("keyId", sealed.keyId())
                .param("dataKey", sealed.dataKey())
                .param("content", sealed.content())
                .param("version", secret.version())
                .update());
  }

  @Override
  public void delete(ProjectSecret secret) {
    seen(
        secret,
        transactions.inTenant(
            secret.tenant(),
            () ->
                jdbc.sql(DELETE.text())
                    .param("tenant", secret.tenant().value())
                    .param("id", secret.id())
                    .param("version", secret.version())
                    .update()));
  }

  private static void seen(ProjectSecret secret, int rows) {
    Conflict.unlessOne(rows, Conflict.Guard.VERSION, secret.name());
  }
}
