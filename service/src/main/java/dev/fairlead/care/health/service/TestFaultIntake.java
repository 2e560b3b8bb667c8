package dev.fairlead.care.health.service;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.HealthRecord;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.Judgement;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.service.spi.TestFaults;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.identity.IdSource;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.springframework.stereotype.Component;

/** Opens incidents for failed node tests. */
@Component
public class TestFaultIntake implements TestFaults {
  private static final int NO_XID = 0;
  private final HealthStore health;
  private final InventoryStore inventory;
  private final FaultIsolation isolation;
  private final IdSource ids;

  public TestFaultIntake(
      HealthStore health, InventoryStore inventory, FaultIsolation isolation, IdSource ids) {
    this.health = health;
    this.inventory = inventory;
    this.isolation = isolation;
    this.ids = ids;
  }

  @Override
  public String take(Failed failed, Instant now) {
    health.enter(failed.cluster());
    Node node = inventory.inService(Set.of(failed.node())).stream().findFirst().orElse(null);
    if (node == null) {
      return "the node is gone";
    }
    Instant released = health.lastReleased(failed.cluster(), failed.node());
    if (released != null && !failed.since().isAfter(released)) {
      return "the node was released in between";
    }
    Incident incident = isolated(node, failed, now);
    return "incident " + incident.id().text() + ": " + incident.isolation();
  }

  private Incident isolated(Node node, Failed failed, Instant now) {
    boolean part = failed.gpus() > 0 && failed.gpus() < node.gpus().size();
    FaultScope scope = part ? FaultScope.GPU : FaultScope.NODE;
    Judgement judgement =
        new Judgement(Judgement.Verdict.FATAL, scope, failed.step(), failed.cause());
    HealthEvent event =
        new HealthEvent(
            "test/" + failed.run(), now, node.name(), null, null, NO_XID, failed.cause());
    Incident before = new OpenIncidents(health.open(List.of(node.id()))).of(node, null);
    Incident incident =
        before == null
            ? Incident.opened(new IncidentId(ids.next()), node, null, event, judgement)
            : before.joined(event, judgement, false);
    FaultIsolation.Round round = isolation.round(node.cluster(), now);
    Incident shown = round.isolates(node, incident) ? incident : round.isolate(node, incident);
    health.write(shown);
    health.insert(
        node.cluster(),
        List.of(new HealthRecord(event, node.id(), judgement.verdict(), shown.id())),
        now);
    return shown;
  }
}
