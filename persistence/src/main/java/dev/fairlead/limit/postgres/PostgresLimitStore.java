package dev.fairlead.limit.postgres;

import dev.fairlead.limit.LimitStore;
import dev.fairlead.limit.SetLimits;
import dev.fairlead.postgres.Entities;
import dev.fairlead.postgres.RowLevelSecurity;
import dev.fairlead.postgres.SqlFile;
import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.Transactions;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** {@link LimitStore} on PostgreSQL. */
@Component
class PostgresLimitStore implements LimitStore {
  private static final SqlFile UPDATE = SqlFile.named("limit/update-limits");
  private static final String ALL =
      "select l, p.name from TenantLimitsEntity l left join ProjectEntity p on p.id = l.project"
          + " order by l.place";

  private final Transactions transactions;
  private final RowLevelSecurity wall;
  private final Entities entities;
  private final JdbcClient jdbc;

  PostgresLimitStore(
      Transactions transactions, RowLevelSecurity wall, Entities entities, JdbcClient jdbc) {
    this.transactions = transactions;
    this.wall = wall;
    this.entities = entities;
    this.jdbc = jdbc;
  }

  @Override
  public List<Named> all() {
    return transactions.forAllTenants(() ->
        entities.list(entities.query(ALL, Object[].class)).stream()
            .map(row -> new Named(((TenantLimitsEntity) row[0]).limits(), (String) row[1]))
            .toList());
  }

  @Override
  public SetLimits of(TenantId tenant, @Nullable ProjectId project) {
    UUID place = TenantLimitsEntity.place(tenant, project);
    return transactions.call(() -> {
      wall.enter(tenant.value());
      return entities
          .list(
              entities
                  .query(
                      "from TenantLimitsEntity l where l.tenant = :tenant and l.place = :place",
                      TenantLimitsEntity.class)
                  .setParameter("tenant", tenant.value())
                  .setParameter("place", place))
          .stream()
          .findFirst()
          .map(TenantLimitsEntity::limits)
          .orElseGet(() -> SetLimits.none(tenant, project));
    });
  }

  @Override
  public void put(SetLimits limits) {
    TenantLimitsEntity row = TenantLimitsEntity.of(limits);
    Supplier<Conflict> stale = () -> new Conflict(Conflict.Guard.VERSION, row.place.toString());
    transactions.run(() -> {
      wall.enter(row.tenant);
      if (row.version == 1) {
        entities.insert(stale, List.of(row));
      } else if (updated(row) != 1) {
        throw stale.get();
      }
    });
  }

  private int updated(TenantLimitsEntity row) {
    return jdbc.sql(UPDATE.text())
        .param("place", row.place)
        .param("activeJobs", row.activeJobs)
        .param("projects", row.projects)
        .param("requests", row.requestsPerMinute)
        .param("specBytes", row.specBytes)
        .param("version", row.version)
        .update();
  }
}
