package dev.fairlead.care.health.service.repair;

import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairOrder;
import dev.fairlead.care.health.repair.RepairTask;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantStore;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.springframework.stereotype.Component;

/**
 * Audit rows of automatic changes, in the open transaction: responses of a repairer under the actor
 * {@code repairer/<cluster>}, and ended conditions of nodes under {@code conditions/<cluster>}.
 * They are in the first tenant, like the audit rows of clusters.
 */
@Component
public class HealthAudit {
  private final AuditLog audit;
  private final TenantStore tenants;
  private final InventoryStore inventory;

  public HealthAudit(AuditLog audit, TenantStore tenants, InventoryStore inventory) {
    this.audit = audit;
    this.tenants = tenants;
    this.inventory = inventory;
  }

  /**
   * Records that the node of the task returned to service.
   *
   * @param before quarantines of the node before the release
   * @param after quarantines of the node after the release
   */
  void released(RepairTask task, List<Quarantine> before, List<Quarantine> after) {
    String node = task.node().text();
    audit.append(
        row(task, "releaseNode", node, new TreeMap<>())
            .changed("quarantines/" + node, before, after));
  }

  /** Records that the node returned to service because its conditions have ended. */
  public void recovered(
      ClusterId cluster, NodeId node, List<Quarantine> before, List<Quarantine> after) {
    SortedMap<String, Object> detail = new TreeMap<>();
    detail.put(AuditRecord.REASON, Incident.CLEARED);
    String subject = node.text();
    actor(OwnActor::conditions, cluster)
        .ifPresent(actor ->
            audit.append(
                new AuditRecord(actor, "releaseNode", subject, true, detail)
                    .changed("quarantines/" + subject, before, after)));
  }

  /** Records that the repair continued or was skipped. */
  void ordered(RepairTask task, RepairOrder order, Repair before, Repair after) {
    String repair = before.id().text();
    SortedMap<String, Object> detail = new TreeMap<>();
    detail.put("order", order.name());
    audit.append(
        row(task, "orderRepair", repair, detail).changed("repairs/" + repair, before, after));
  }

  private AuditRecord row(
      RepairTask task, String operation, String subject, SortedMap<String, Object> detail) {
    detail.put(AuditRecord.REASON, task.told());
    detail.put("task", task.id().text());
    Actor actor = actor(OwnActor::repairer, task.cluster()).orElseThrow();
    return new AuditRecord(actor, operation, subject, true, detail);
  }

  /** Returns the actor of faults in the series of the cluster's GPU exporter. */
  public Actor exporter(ClusterId cluster) {
    return actor(OwnActor::exporter, cluster).orElseThrow();
  }

  private Optional<Actor> actor(UnaryOperator<String> of, ClusterId cluster) {
    String name = of.apply(inventory.nameOf(cluster).orElseGet(cluster::text));
    return tenants.tenantNamed(Tenant.FIRST).map(first -> new Actor(first.id(), name));
  }
}
