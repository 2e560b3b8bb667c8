package dev.fairlead.care.health;

import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairId;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;
import java.util.UUID;

/** Repairs for tests. */
public final class Repairs {
  static final ClusterId CLUSTER = new ClusterId(new UUID(0, 7));

  private Repairs() {}

  public static Repair of(RepairId id, NodeId node, RepairStep step, Instant at) {
    return Repair.opened(id, incident(node, step, at), at);
  }

  public static Incident incident(NodeId node, RepairStep step, Instant at) {
    return new Incident(
        new IncidentId(node.value()),
        CLUSTER,
        node,
        "gpu-" + node.value().getLeastSignificantBits() % 1000,
        null,
        null,
        79,
        "XID 79 (GPU has fallen off the bus)",
        FaultScope.NODE,
        step,
        at,
        at,
        1,
        "",
        null);
  }
}
