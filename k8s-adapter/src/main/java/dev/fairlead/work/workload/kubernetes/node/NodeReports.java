package dev.fairlead.work.workload.kubernetes.node;

import dev.fairlead.care.health.NodeSignTable;
import dev.fairlead.fleet.cluster.GpuOffer;
import dev.fairlead.fleet.node.NodeCondition;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReportBuilder;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.MigResource;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.workload.kubernetes.call.ReportedText;
import dev.fairlead.work.workload.kubernetes.client.GpuResources;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeSpec;
import io.fabric8.kubernetes.api.model.NodeStatus;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Converts nodes to reports, without the use by foreign pods. */
public final class NodeReports {
  private static final int LONGEST_NAME = 253;
  private static final int LONGEST_KEY = 317;
  private static final int LONGEST_VALUE = 63;
  private static final int MOST_LABELS = 500;
  private static final int MOST_TAINTS = 100;

  private final TopologyLevels levels;
  private final String ours;

  /**
   * @param ours label of the installation
   */
  public NodeReports(TopologyLevels levels, String ours) {
    this.levels = levels;
    this.ours = ours;
  }

  /**
   * @throws IllegalArgumentException if its name is invalid
   */
  public NodeReport of(Node node) {
    if (!ReportedText.plain(node.getMetadata().getName(), LONGEST_NAME)) {
      throw new IllegalArgumentException("not the name of a node");
    }
    NodeSpec spec = node.getSpec() == null ? new NodeSpec() : node.getSpec();
    NodeStatus status = node.getStatus() == null ? new NodeStatus() : node.getStatus();
    NodeLabelsAndTaints shown = NodePatcher.of(node, ours);
    SortedMap<String, String> labels = labels(node);
    if (shown.pool() != null) {
      labels.remove(NodeLabelsAndTaints.POOL); // a pool that selects by it would move nodes forever
    }
    labels.remove(GpuOffer.LABEL);
    int units =
        Math.max(NodeAmounts.gpus(status.getAllocatable()), NodeAmounts.gpus(status.getCapacity()));
    GpuOffer offer = GpuOffer.read(labels, units, NodeAmounts.renamed(status.getCapacity()));
    List<Gpu> gpus = gpus(node.getMetadata().getName(), status, offer);
    ResourceVector allocatable = NodeAmounts.offered(status.getAllocatable());
    List<NodeCondition> conditions = conditions(status);
    boolean plain =
        units == 0
            && allocatable.extended().entrySet().stream()
                .noneMatch(e -> e.getValue() > 0 && slices(e.getKey()));
    if (!plain) {
      offer.label().ifPresent(value -> labels.put(GpuOffer.LABEL, value));
    }
    return NodeReportBuilder.builder()
        .name(node.getMetadata().getName())
        .ready(ready(status))
        .cordoned(Boolean.TRUE.equals(spec.getUnschedulable()))
        .ourCordon(
            Boolean.TRUE.equals(spec.getUnschedulable()) && ours.equals(Disruptions.marker(node)))
        .machineGone(false)
        .gpuModel(plain ? Flavor.CPU : offer.model())
        .gpuMemoryMiB(plain ? 0 : offer.memoryMiB())
        .allocatable(devices(allocatable, offer))
        .foreign(ResourceVector.ZERO)
        .labels(labels)
        .taints(
            NodeSignTable.CURRENT.withNotice(taints(spec, shown), added(spec), labels, conditions))
        .topology(levels.of(labels))
        .bootId(
            status.getNodeInfo() != null
                    && ReportedText.plain(status.getNodeInfo().getBootID(), LONGEST_NAME)
                ? status.getNodeInfo().getBootID()
                : "")
        .gpus(gpus)
        .faults(NodeSignTable.CURRENT.faults(conditions))
        .labelsAndTaints(shown)
        .build();
  }

  static NodeReport with(NodeReport node, ResourceVector foreign) {
    GpuOffer offer = GpuOffer.of(node.labels(), node.gpuModel(), node.gpuMemoryMiB());
    return node.withForeign(devices(foreign, offer));
  }

  /**
   * Returns one device for each that the node has or had. A device plugin reports how many are
   * lost, but not which, so the devices with the highest index are shown as failed.
   */
  private static List<Gpu> gpus(String node, NodeStatus status, GpuOffer offer) {
    int usable = offer.devices(NodeAmounts.gpus(status.getAllocatable()));
    int present = Math.max(usable, offer.devices(NodeAmounts.gpus(status.getCapacity())));
    List<Gpu> gpus = new ArrayList<>();
    for (int i = 0; i < present; i++) {
      gpus.add(new Gpu(i, node + "/" + i, i < usable ? GpuState.HEALTHY : GpuState.FAILED, 0));
    }
    return gpus;
  }

  /**
   * Returns whether the resource is a slice of partitioned GPUs, which are not among the devices of
   * the node.
   */
  private static boolean slices(String resource) {
    return MigResource.profile(resource) != null;
  }

  /** Converts amounts in parts or slices to devices. */
  private static ResourceVector devices(ResourceVector counted, GpuOffer offer) {
    if (offer.kind() == GpuOffer.Kind.WHOLE) {
      return counted;
    }
    long shared = counted.extended().getOrDefault(GpuResources.SHARED, 0L) * Gpu.WHOLE_MILLI;
    return new ResourceVector(
        counted.cpuMilli(),
        counted.memoryMiB(),
        offer.milli(counted.gpuMilli() + shared),
        counted.pods(),
        counted.extended());
  }

  private static boolean ready(NodeStatus status) {
    return status.getConditions() != null
        && status.getConditions().stream()
            .anyMatch(c -> "Ready".equals(c.getType()) && "True".equals(c.getStatus()));
  }

  /** Returns conditions that the table may contain and that have a transition time. */
  private static List<NodeCondition> conditions(NodeStatus status) {
    List<NodeCondition> known = new ArrayList<>();
    if (status.getConditions() != null) {
      for (var condition : status.getConditions()) {
        Instant since = time(condition.getLastTransitionTime());
        String message = condition.getMessage() == null ? "" : condition.getMessage();
        String stated = condition.getReason() == null ? "" : condition.getReason();
        if (since != null && condition.getType() != null && condition.getStatus() != null) {
          String reason = NodeSignTable.CURRENT.reason(condition.getType(), stated, message);
          NodeCondition shown =
              new NodeCondition(
                  condition.getType(),
                  condition.getStatus(),
                  ReportedText.plain(reason, LONGEST_VALUE) ? reason : "",
                  since);
          if (NodeSignTable.CURRENT.find(shown).isPresent()) {
            known.add(shown);
          }
        }
      }
    }
    return known;
  }

  private static Map<Taint, Instant> added(NodeSpec spec) {
    Map<Taint, Instant> added = new HashMap<>();
    if (spec.getTaints() != null) {
      spec.getTaints()
          .forEach(t -> {
            Instant at = time(t.getTimeAdded());
            if (at != null && t.getKey() != null && t.getEffect() != null) {
              added.put(
                  new Taint(t.getKey(), t.getValue() == null ? "" : t.getValue(), t.getEffect()),
                  at);
            }
          });
    }
    return added;
  }

  /** Returns null if the cluster reports no valid time, or a time after the year 9999. */
  private static @Nullable Instant time(@Nullable String text) {
    try {
      return text == null || text.startsWith("+") ? null : Instant.parse(text);
    } catch (DateTimeParseException notATime) {
      return null;
    }
  }

  private static List<Taint> taints(NodeSpec spec, NodeLabelsAndTaints shown) {
    return spec.getTaints() == null
        ? List.of()
        : spec.getTaints().stream()
            .filter(t -> ReportedText.plain(t.getKey(), LONGEST_KEY))
            .filter(
                t -> t.getValue() == null || ReportedText.plainOrEmpty(t.getValue(), LONGEST_VALUE))
            .filter(t -> ReportedText.plain(t.getEffect(), LONGEST_VALUE))
            .filter(t ->
                shown.quarantine() == null || !NodePatcher.quarantine(t.getKey(), t.getEffect()))
            .limit(MOST_TAINTS)
            .map(
                t -> new Taint(t.getKey(), t.getValue() == null ? "" : t.getValue(), t.getEffect()))
            .toList();
  }

  /** Returns whether such a label of a node is stored. A job must not require any other label. */
  public static boolean known(String name, String value) {
    return !name.startsWith(NodeLabelsAndTaints.FEATURES)
        && ReportedText.plain(name, LONGEST_KEY)
        && ReportedText.plainOrEmpty(value, LONGEST_VALUE);
  }

  private static SortedMap<String, String> labels(Node node) {
    SortedMap<String, String> labels = new TreeMap<>();
    if (node.getMetadata().getLabels() != null) {
      node.getMetadata()
          .getLabels()
          .forEach((name, value) -> {
            String text = value == null ? "" : value;
            if (labels.size() < MOST_LABELS && known(name, text)) {
              labels.put(name, text);
            }
          });
    }
    return labels;
  }
}
