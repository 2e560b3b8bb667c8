package dev.fairlead.fleet.cluster.postgres;

import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** {@link PoolStore} on PostgreSQL. */
@Component
class PostgresPoolStore implements PoolStore {
  private final Transactions transactions;
  private final PoolTable rows;

  PostgresPoolStore(Transactions transactions, PoolTable rows) {
    this.transactions = transactions;
    this.rows = rows;
  }

  @Override
  public List<Pool> pools() {
    return transactions.forAllTenants(rows::all);
  }

  @Override
  public List<Pool> pools(TenantId tenant) {
    return transactions.inTenant(tenant, () -> rows.of(tenant.value()));
  }

  @Override
  public Optional<Pool> pool(PoolId id) {
    return pools().stream().filter(pool -> pool.id().equals(id)).findFirst();
  }

  @Override
  public Instant now() {
    return transactions.call(rows::now);
  }

  @Override
  public void insert(Pool pool) {
    change(() -> rows.insert(pool));
  }

  @Override
  public void update(Pool pool) {
    change(() -> rows.update(pool));
  }

  @Override
  public void delete(Pool pool) {
    change(() -> rows.delete(pool));
  }

  /** Pools belong to the fleet: the role of a tenant's connections may only read them. */
  private void change(Runnable change) {
    boolean _ =
        transactions.forAllTenants(() -> {
          change.run();
          return true;
        });
  }
}
