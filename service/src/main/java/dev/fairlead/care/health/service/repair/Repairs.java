package dev.fairlead.care.health.service.repair;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairId;
import dev.fairlead.care.health.repair.RepairOrder;
import dev.fairlead.care.health.repair.RepairStore;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reads repairs of nodes and applies the orders of operators. */
@Service
public class Repairs {
  private final Transactions transactions;
  private final RepairStore repairs;
  private final HealthStore health;
  private final InventoryStore inventory;
  private final AuditLog audit;
  private final InstantSource clock;
  private final MeterRegistry metrics;

  public Repairs(
      Transactions transactions,
      RepairStore repairs,
      HealthStore health,
      InventoryStore inventory,
      AuditLog audit,
      InstantSource clock,
      MeterRegistry metrics) {
    this.transactions = transactions;
    this.repairs = repairs;
    this.health = health;
    this.inventory = inventory;
    this.audit = audit;
    this.clock = clock;
    this.metrics = metrics;
  }

  /**
   * Returns a repair by id.
   *
   * @throws Refusal NOT_FOUND
   */
  public RepairView one(RepairId id) {
    return view(found(id));
  }

  /**
   * Lists repairs, newest first.
   *
   * @param node name, or id (also of a node that left its cluster), null for all nodes
   * @param open whether to list only those that have not ended
   * @param before only older ones, null for the newest
   * @throws Refusal NOT_FOUND, INVALID_PARAMETER for a name of several nodes
   */
  public List<RepairView> list(
      @Nullable String node, boolean open, @Nullable RepairId before, int limit) {
    NodeId only = node == null ? null : node(node);
    SortedMap<ClusterId, String> names = new TreeMap<>();
    return repairs.repairs(only, open, before, limit).stream()
        .map(repair -> view(repair, names.computeIfAbsent(repair.cluster(), this::clusterName)))
        .toList();
  }

  private NodeId node(String text) {
    return IdText.decode(IdKind.NODE, text)
        .map(NodeId::new)
        .filter(id -> inventory.node(id).isPresent())
        .orElseGet(() -> FleetNames.node(inventory, text).id());
  }

  /**
   * Applies an order of an operator.
   *
   * @param step current step of the repair as the operator read it
   * @param reason explanation for later readers
   * @return the repair after the order
   * @throws Refusal FORBIDDEN, NOT_FOUND, ILLEGAL_STATE if the repair has another step now, or if
   *     the order has no effect in its state
   */
  public RepairView order(
      Actor actor,
      RepairId id,
      RepairOrder order,
      RepairStep step,
      String reason,
      boolean validateOnly) {
    Permissions.require(actor, "orderRepair");
    return transactions.call(() -> {
      health.enter(found(id).cluster());
      Repair before = found(id);
      if (before.step() != step) {
        throw another(before, step);
      }
      Instant now = clock.instant();
      Repair after =
          before.ordered(order, actor.name(), now).orElseThrow(() -> refused(before, order));
      if (!validateOnly) {
        repairs.update(after);
        if (order == RepairOrder.DONE) {
          RepairSteps.measured(metrics, before, now);
        }
        TreeMap<String, Object> detail = new TreeMap<>();
        detail.put("order", order.name());
        detail.put("reason", reason);
        audit.append(
            new AuditRecord(actor, "orderRepair", id.text(), true, detail)
                .changed("repairs/" + id.text(), before, after));
      }
      return view(after);
    });
  }

  private Repair found(RepairId id) {
    return repairs
        .repair(id)
        .orElseThrow(
            () -> new Refusal(ProblemCode.NOT_FOUND, "There is no repair " + id.text() + "."));
  }

  private static Refusal another(Repair repair, RepairStep step) {
    return new Refusal(
        ProblemCode.ILLEGAL_STATE,
        ("Repair %s of node %s is at step %s, not %s, and is %s. Read it again, and retry with "
                + "the current step if the action still applies.")
            .formatted(repair.id().text(), repair.nodeName(), repair.step(), step, repair.state()));
  }

  private static Refusal refused(Repair repair, RepairOrder order) {
    String held = repair.heldBy() == null ? "" : " and held by " + repair.heldBy();
    return new Refusal(
        ProblemCode.ILLEGAL_STATE,
        "Repair %s of node %s is %s with step %s%s: %s has no effect in this state. It can be %s."
            .formatted(
                repair.id().text(),
                repair.nodeName(),
                repair.state(),
                repair.step(),
                held,
                order,
                possible(repair)));
  }

  private static String possible(Repair repair) {
    String orders =
        String.join(
            ", ",
            List.of(RepairOrder.values()).stream()
                .filter(order -> repair.ordered(order, "", Instant.EPOCH).isPresent())
                .map(RepairOrder::name)
                .toList());
    return orders.isEmpty() ? "ordered nothing more" : "ordered " + orders;
  }

  private RepairView view(Repair repair) {
    return view(repair, clusterName(repair.cluster()));
  }

  private RepairView view(Repair repair, String cluster) {
    return RepairView.of(repair, cluster, clock.instant());
  }

  private String clusterName(ClusterId cluster) {
    return inventory.nameOf(cluster).orElseGet(cluster::text);
  }
}
