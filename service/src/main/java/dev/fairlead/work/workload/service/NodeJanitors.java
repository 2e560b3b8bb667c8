package dev.fairlead.work.workload.service;

import dev.fairlead.care.health.repair.Janitors;
import dev.fairlead.care.health.repair.RepairAnswer;
import dev.fairlead.care.health.repair.RepairCall;
import dev.fairlead.care.health.repair.RepairTask;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.workload.NodeNotes;
import dev.fairlead.work.workload.RepairNotes;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** {@link Janitors} through the gateways of this process. */
@Component
public class NodeJanitors implements Janitors {
  private static final Logger LOG = LoggerFactory.getLogger(NodeJanitors.class);
  private final ClusterConnections gateways;

  public NodeJanitors(ClusterConnections gateways) {
    this.gateways = gateways;
  }

  @Override
  public RepairAnswer ask(RepairCall call) {
    RepairTask task = call.task();
    return RepairNotes.answer(note(task.cluster(), task.nodeName(), RepairNotes.of(call)));
  }

  @Override
  public void over(RepairTask task) {
    NodeNotes left = note(task.cluster(), task.nodeName(), RepairNotes.none());
    if (left instanceof NodeNotes.Not not) {
      LOG.warn(
          "the annotations of task {} remain on node {}: {}",
          task.id().text(),
          task.nodeName(),
          not.why());
    }
  }

  private NodeNotes note(
      ClusterId cluster, String node, SortedMap<String, @Nullable String> notes) {
    return gateways
        .of(cluster)
        .map(gateway -> gateway.note(node, notes))
        .orElseGet(() -> new NodeNotes.Not("the cluster is not connected"));
  }
}
