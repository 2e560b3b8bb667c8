package dev.fairlead.work.workload.service;

import dev.fairlead.fleet.cluster.AccountToken;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.Connection;
import dev.fairlead.fleet.cluster.InventoryStore;
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

/** Stores the tokens that clusters gave, and counts them. */
@Component
public class ClusterTokens {
  private static final String ACTOR = OwnActor.SUPERVISOR.text();

  /** As an operation in the audit; no caller can ask for it. */
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
   * Puts the connection with the new token in place of the one that was held, with its row in the
   * audit of the first tenant, where those of clusters are.
   *
   * @return false when an operator gave other credentials meanwhile: these stay
   * @throws Conflict when the cluster was changed meanwhile
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

  /** Both counters start at 0: an increase that an alert asks for needs a sample before it. */
  void register(String cluster) {
    Counter _ = counter(cluster, true);
    Counter _ = counter(cluster, false);
  }

  /** Counts an end of a try. */
  void count(String cluster, boolean renewed) {
    counter(cluster, renewed).increment();
  }

  private Counter counter(String cluster, boolean renewed) {
    return metrics.counter(
        Metric.CLUSTER_TOKEN_RENEWALS.meter(),
        Metric.CLUSTER_TOKEN_RENEWALS.tags(cluster, renewed ? "renewed" : "failed"));
  }
}
