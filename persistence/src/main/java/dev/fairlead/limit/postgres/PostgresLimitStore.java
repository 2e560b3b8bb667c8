package dev.fairlead.limit.postgres;

import dev.fairlead.limit.LimitStore;
import dev.fairlead.limit.SetLimits;
import dev.fairlead.postgres.Constraints;
import dev.fairlead.postgres.RowLevelSecurity;
import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.Transactions;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** {@link LimitStore} on PostgreSQL. */
@Component
class PostgresLimitStore implements LimitStore {
  private final Transactions transactions;
  private final RowLevelSecurity wall;
  private final TenantLimitsRepository rows;

  PostgresLimitStore(
      Transactions transactions, RowLevelSecurity wall, TenantLimitsRepository rows) {
    this.transactions = transactions;
    this.wall = wall;
    this.rows = rows;
  }

  @Override
  public List<Named> all() {
    return transactions.forAllTenants(
        () -> rows.all().stream().map(TenantLimitsRow::named).toList());
  }

  @Override
  public SetLimits of(TenantId tenant, @Nullable ProjectId project) {
    return transactions.call(() -> {
      wall.enter(tenant.value());
      return rows.at(tenant.value(), TenantLimitsEntity.place(tenant, project))
          .map(TenantLimitsRow::setLimits)
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
        Constraints.unique(() -> rows.saveAndFlush(row), stale);
      } else if (rows.change(row.place, row.version - 1, row.limits) != 1) {
        throw stale.get();
      }
    });
  }
}
