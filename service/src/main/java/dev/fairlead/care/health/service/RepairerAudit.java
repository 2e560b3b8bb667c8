package dev.fairlead.care.health.service;

import dev.fairlead.care.health.Quarantine;
import dev.fairlead.care.health.Repair;
import dev.fairlead.care.health.RepairOrder;
import dev.fairlead.care.health.RepairTask;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantStore;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.springframework.stereotype.Component;

/**
 * Writes audit records for the effects of a repairer's answer, in the open transaction. Like audit
 * records of clusters, they belong to the first tenant, with the actor {@code repairer/<cluster>}.
 */
@Component
public class RepairerAudit {
  private final AuditLog audit;
  private final TenantStore tenants;
  private final InventoryStore inventory;

  public RepairerAudit(AuditLog audit, TenantStore tenants, InventoryStore inventory) {
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
    String cluster = inventory.nameOf(task.cluster()).orElseGet(task.cluster()::text);
    Tenant first = tenants.tenantNamed(Tenant.FIRST).orElseThrow();
    return new AuditRecord(
        new Actor(first.id(), "repairer/" + cluster), operation, subject, true, detail);
  }
}
