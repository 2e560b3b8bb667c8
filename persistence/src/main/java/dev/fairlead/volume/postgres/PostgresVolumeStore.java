package dev.fairlead.volume.postgres;

import dev.fairlead.postgres.Columns;
import dev.fairlead.postgres.RowLevelSecurity;
import dev.fairlead.postgres.SqlFile;
import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.Transactions;
import dev.fairlead.volume.Volume;
import dev.fairlead.volume.VolumeAccess;
import dev.fairlead.volume.VolumeStore;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** {@link VolumeStore} on PostgreSQL. */
@Component
class PostgresVolumeStore implements VolumeStore {
  private static final SqlFile OF_PROJECT = SqlFile.named("volume/of-project");
  private static final SqlFile INSERT = SqlFile.named("volume/insert-volume");
  private static final SqlFile UPDATE = SqlFile.named("volume/update-volume");
  private static final SqlFile DELETE = SqlFile.named("volume/delete-volume");

  private final Transactions transactions;
  private final RowLevelSecurity wall;
  private final JdbcClient jdbc;

  PostgresVolumeStore(Transactions transactions, RowLevelSecurity wall, JdbcClient jdbc) {
    this.transactions = transactions;
    this.wall = wall;
    this.jdbc = jdbc;
  }

  @Override
  public List<Volume> all(TenantId tenant, ProjectId project) {
    return read(tenant, project, null);
  }

  @Override
  public Optional<Volume> find(TenantId tenant, ProjectId project, String name) {
    return read(tenant, project, name).stream().findFirst();
  }

  private List<Volume> read(TenantId tenant, ProjectId project, @Nullable String name) {
    return transactions.call(() -> {
      wall.enter(tenant.value());
      return jdbc.sql(OF_PROJECT.text())
          .param("tenant", tenant.value())
          .param("project", project.value())
          .param("name", name, Types.VARCHAR)
          .query((row, n) -> volume(row))
          .list();
    });
  }

  private static Volume volume(ResultSet row) throws SQLException {
    return new Volume(
        Columns.uuid(row, "id"),
        new TenantId(Columns.uuid(row, "tenant")),
        new ProjectId(Columns.uuid(row, "project")),
        Columns.text(row, "name"),
        new Volume.Claim(
            row.getLong("size_mib"),
            row.getString("storage_class"),
            VolumeAccess.valueOf(Columns.text(row, "access"))),
        Columns.instant(row, "created_at"),
        new Volume.Change(Columns.instant(row, "updated_at"), Columns.text(row, "updated_by")),
        row.getLong("version"));
  }

  @Override
  public void insert(Volume volume) {
    if (write(INSERT, volume) != 1) {
      throw new Conflict(Conflict.Guard.NAME_TAKEN, volume.name());
    }
  }

  @Override
  public void update(Volume volume) {
    seen(volume, write(UPDATE, volume));
  }

  private int write(SqlFile file, Volume volume) {
    return transactions.call(() -> {
      wall.enter(volume.tenant().value());
      return jdbc.sql(file.text())
          .param("id", volume.id())
          .param("tenant", volume.tenant().value())
          .param("project", volume.project().value())
          .param("name", volume.name())
          .param("sizeMib", volume.claim().sizeMiB())
          .param("storageClass", volume.claim().storageClass(), Types.VARCHAR)
          .param("access", volume.claim().access().name())
          .param("createdAt", Columns.parameter(volume.createdAt()))
          .param("updatedAt", Columns.parameter(volume.changed().at()))
          .param("updatedBy", volume.changed().by())
          .param("version", volume.version())
          .update();
    });
  }

  @Override
  public void delete(Volume volume) {
    seen(
        volume,
        transactions.call(() -> {
          wall.enter(volume.tenant().value());
          return jdbc.sql(DELETE.text())
              .param("tenant", volume.tenant().value())
              .param("id", volume.id())
              .param("version", volume.version())
              .update();
        }));
  }

  private static void seen(Volume volume, int rows) {
    if (rows != 1) {
      throw new Conflict(Conflict.Guard.VERSION, volume.name());
    }
  }
}
