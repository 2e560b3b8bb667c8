package dev.fairlead.fleet.quota.postgres;

import dev.fairlead.fleet.quota.FleetQuotaStore;
import dev.fairlead.fleet.quota.PastUse;
import dev.fairlead.fleet.quota.QuotaDemand;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.fleet.quota.QuotaTrees;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.kernel.postgres.Change;
import dev.fairlead.kernel.postgres.Changes;
import dev.fairlead.kernel.postgres.Constraints;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.stereotype.Component;

/**
 * {@link QuotaStore} on PostgreSQL. Every change locks all nodes of the tenant's tree by depth and
 * id, in the order of the job store, so that use is recomputed under one set of limits.
 */
@Component
class PostgresQuotaStore implements QuotaStore, QuotaTrees, FleetQuotaStore {
  private final Transactions transactions;
  private final QuotaTables tables;
  private final QuotaCounters counters;
  private final Changes changes;

  PostgresQuotaStore(
      Transactions transactions, QuotaTables tables, QuotaCounters counters, Changes changes) {
    this.transactions = transactions;
    this.tables = tables;
    this.counters = counters;
    this.changes = changes;
  }

  @Override
  public Instant now() {
    return transactions.call(tables::now);
  }

  @Override
  public void insert(QuotaNode node) {
    transactions.runInTenant(
        node.tenant(),
        () -> {
          tables.lock(node.tenant());
          Constraints.unique(
              () -> tables.insert(node), () -> new Conflict(Guard.NAME_TAKEN, node.name()));
          recount(node.tenant());
        });
  }

  @Override
  public void update(QuotaNode node) {
    transactions.runInTenant(
        node.tenant(),
        () -> {
          tables.lock(node.tenant());
          write(node);
          recount(node.tenant());
        });
  }

  private void write(QuotaNode node) {
    Constraints.unique(
        () -> tables.update(node), () -> new Conflict(Guard.NAME_TAKEN, node.name()));
  }

  @Override
  public void delete(TenantId tenant, QuotaNodeId id, long version) {
    transactions.runInTenant(
        tenant,
        () -> {
          tables.lock(tenant);
          boolean there =
              tables.node(tenant, id).filter(node -> node.version() == version).isPresent();
          if (!there) {
            throw new Conflict(Guard.VERSION, id.text());
          }
          try {
            Conflict.unlessOne(tables.delete(tenant, id, version), Guard.REFERENCED, id.text());
          } catch (DataIntegrityViolationException e) {
            throw Constraints.refusedReference(e) ? new Conflict(Guard.REFERENCED, id.text()) : e;
          }
          recount(tenant);
        });
  }

  @Override
  public Optional<QuotaNode> node(TenantId tenant, QuotaNodeId id) {
    return transactions.inTenant(tenant, () -> tables.node(tenant, id));
  }

  @Override
  public Optional<QuotaNode> nodeNamed(TenantId tenant, String name) {
    return transactions.inTenant(tenant, () -> tables.nodeNamed(tenant, name));
  }

  @Override
  public List<QuotaNode> nodes(TenantId tenant) {
    return transactions.inTenant(tenant, () -> tables.nodes(tenant));
  }

  @Override
  public List<QuotaUse> uses(TenantId tenant) {
    return transactions.inTenant(tenant, () -> counters.uses(tenant));
  }

  @Override
  public List<QuotaNode> allNodes() {
    return transactions.forAllTenants(tables::nodes);
  }

  @Override
  public List<QuotaUse> allUses() {
    return transactions.forAllTenants(counters::uses);
  }

  @Override
  public void demand(List<QuotaDemand> demands) {
    transactions.forAllTenants(() -> {
      tables.demand(demands);
      return true;
    });
  }

  @Override
  public List<QuotaDemand> demands(TenantId tenant) {
    return transactions.inTenant(tenant, () -> tables.demands(tenant));
  }

  @Override
  public List<PastUse> pastUses() {
    return transactions.forAllTenants(tables::pastUses);
  }

  @Override
  public List<QuotaNode> fleet() {
    return transactions.forAllTenants(tables::fleet);
  }

  @Override
  public List<QuotaUse> fleetUses() {
    return transactions.forAllTenants(counters::fleetUses);
  }

  @Override
  public List<QuotaUse> fleetUses(TenantId tenant) {
    return transactions.forAllTenants(() -> counters.fleetUses(tenant));
  }

  @Override
  public List<QuotaNode> platformNodes() {
    return transactions.forAllTenants(() -> {
      if (!tables.fleetLimited()) {
        return List.of();
      }
      tables.lockFleet();
      return tables.fleet();
    });
  }

  @Override
  public void updateFleet(QuotaNode node) {
    boolean _ =
        transactions.forAllTenants(() -> {
          tables.lockFleetForChange();
          write(node);
          counters.recountFleet(tables.nodes());
          changes.note(Change.QUOTAS);
          return true;
        });
  }

  private void recount(TenantId tenant) {
    counters.recount(tenant, tables.nodes(tenant));
    changes.note(Change.QUOTAS);
  }
}
