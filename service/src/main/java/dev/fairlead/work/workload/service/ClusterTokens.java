package dev.fairlead.work.workload.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.connection.AccountToken;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantStore;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.TreeMap;
import org.springframework.stereotype.Component;

/** Stores and counts the tokens that clusters issue. */
@Component
public class ClusterTokens {
  private static final String ACTOR = OwnActor.SUPERVISOR.text();

  /** Name of the operation in the audit. No caller can invoke it. */
  private static final String OPERATION = "renewClusterToken";

  private final InventoryStore inventory;
  private final TenantStore tenants;
  private final Transactions transactions;
  private final AuditLog audit;
  private final MeterRegistry metrics;

  public ClusterTokens(
      InventoryStore inventory,
      TenantStore tenants,
      Transactions transactions,
      AuditLog audit,
      MeterRegistry metrics) {
    this.inventory = inventory;
    this.tenants = tenants;
    this.transactions = transactions;
    this.audit = audit;
    this.metrics = metrics;
  }

  /**
   * Replaces the connection by one with the new token, with a row in the audit of the first tenant,
   * which has the audit of clusters.
   *
   * @return false when an operator has changed the credentials since: they remain
   * @throws Conflict when the cluster has changed since
   */
  boolean store(
      HeldLease lease, ClusterId cluster, Connection held, Connection next, AccountToken fresh) {
    return transactions.callFenced(
        lease,
        () -> {
          Cluster now = inventory.cluster(cluster).orElse(null);
          if (now == null || !inventory.connection(cluster).equals(held)) {
            return false;
          }
          Cluster after = now.configured(now.capacity(), now.pricePerGpuHour(), now.settings());
          inventory.configure(after, next);
          TreeMap<String, Object> detail = new TreeMap<>();
          detail.put("account", fresh.namespace() + "/" + fresh.account());
          detail.put("expiresAt", fresh.expiresAt().toString());
          Tenant first = tenants.tenantNamed(Tenant.FIRST).orElseThrow();
          audit.append(
              new AuditRecord(new Actor(first.id(), ACTOR), OPERATION, cluster.text(), true, detail)
                  .changed(now, after));
          return true;
        });
  }

  /** Starts both counters at 0, because the increase of an alert needs an earlier sample. */
  void register(String cluster) {
    Counter _ = counter(cluster, true);
    Counter _ = counter(cluster, false);
  }

  /** Counts a finished attempt to renew. */
  void count(String cluster, boolean renewed) {
    counter(cluster, renewed).increment();
  }

  private Counter counter(String cluster, boolean renewed) {
    return metrics.counter(
        Metric.CLUSTER_TOKEN_RENEWALS.meter(),
        Metric.CLUSTER_TOKEN_RENEWALS.tags(cluster, renewed ? "renewed" : "failed"));
  }
}
