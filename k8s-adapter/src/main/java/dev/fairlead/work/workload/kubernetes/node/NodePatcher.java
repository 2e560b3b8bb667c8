package dev.fairlead.work.workload.kubernetes.node;

import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.dra.DeviceTaints;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Shows pools and quarantines on the nodes of a cluster, without changing foreign labels and
 * taints.
 */
public final class NodePatcher {
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  private static final ActionOutcome DONE = new ActionOutcome.Done(Collections.emptySortedSet());

  private final Installation installation;
  private final ClusterCalls calls;
  private final @Nullable DeviceTaints devices;

  /**
   * @param devices taints GPUs, null on a cluster with device plugins
   */
  public NodePatcher(
      Installation installation, ClusterCalls calls, @Nullable DeviceTaints devices) {
    this.installation = installation;
    this.calls = calls;
    this.devices = devices;
  }

  /**
   * Reads the node and sends at most one patch. The patch fails if the node has changed, because a
   * merge patch replaces all taints of a node. Taints of GPUs follow.
   *
   * @throws CallFailure if a call is not answered
   */
  public ActionOutcome setLabelsAndTaints(
      KubernetesClient client, String name, NodeLabelsAndTaints wanted) {
    try {
      /* By a list, which is the available right. */
      List<Node> found =
          calls.read(() -> client.nodes().withField("metadata.name", name).list().getItems());
      if (found.isEmpty()) {
        return DONE;
      }
      Change change = new Change(found.getFirst(), wanted, installation.label());
      if (change.due()) {
        calls.write(() -> client.nodes().withName(name).patch(MERGE, change.patch()));
      }
      String refused = devices == null ? null : devices.set(client, calls, name, wanted.gpus());
      String why = change.foreign == null ? refused : change.foreign;
      return why == null ? DONE : new ActionOutcome.Refused(ActionOutcome.Why.NAME_TAKEN, why);
    } catch (CallFailure failure) {
      if (failure.notFound()) {
        return DONE;
      }
      if (failure.conflict()) {
        return new ActionOutcome.Unavailable("node " + name + " was changed concurrently");
      }
      if (failure.effect() == CallFailure.Effect.REFUSED) {
        return new ActionOutcome.Refused(
            ActionOutcome.Why.UNSUPPORTED, String.valueOf(failure.getMessage()));
      }
      throw failure;
    }
  }

  /**
   * Returns the labels and taints of Fairlead on the node.
   *
   * @param ours label of the installation
   */
  static NodeLabelsAndTaints of(Node node, String ours) {
    String pool = has(node, NodeLabelsAndTaints.POOL_BY, ours) ? label(node) : null;
    String taint = has(node, NodeLabelsAndTaints.QUARANTINE_BY, ours) ? taint(node) : null;
    return new NodeLabelsAndTaints(
        has(node, NodeLabelsAndTaints.POOL_BY, ours) && pool == null ? "" : pool,
        has(node, NodeLabelsAndTaints.QUARANTINE_BY, ours) && taint == null ? "" : taint);
  }

  static boolean quarantine(String key, String effect) {
    return NodeLabelsAndTaints.QUARANTINE.equals(key) && NodeLabelsAndTaints.EFFECT.equals(effect);
  }

  private static boolean has(Node node, String annotation, String ours) {
    return ours.equals(annotation(node, annotation));
  }

  private static @Nullable String annotation(Node node, String name) {
    Map<String, String> all = node.getMetadata().getAnnotations();
    return all == null ? null : all.get(name);
  }

  private static @Nullable String label(Node node) {
    Map<String, String> all = node.getMetadata().getLabels();
    return all == null ? null : all.get(NodeLabelsAndTaints.POOL);
  }

  private static @Nullable String taint(Node node) {
    return taints(node).stream()
        .filter(taint -> quarantine(taint.getKey(), taint.getEffect()))
        .map(taint -> taint.getValue() == null ? "" : taint.getValue())
        .findFirst()
        .orElse(null);
  }

  private static List<Taint> taints(Node node) {
    return node.getSpec() == null || node.getSpec().getTaints() == null
        ? List.of()
        : node.getSpec().getTaints();
  }

  /** The difference between the current and the desired state of a node. */
  private static final class Change {
    private final Node node;
    private final String ours;
    private final SortedMap<String, @Nullable String> annotations = new TreeMap<>();
    private final SortedMap<String, @Nullable String> labels = new TreeMap<>();
    private @Nullable List<Taint> taints;
    private @Nullable String foreign;

    Change(Node node, NodeLabelsAndTaints wanted, String ours) {
      this.node = node;
      this.ours = ours;
      NodeLabelsAndTaints shown = of(node, ours);
      if (allowed(NodeLabelsAndTaints.POOL_BY, shown.pool(), wanted.pool(), label(node))) {
        labels.put(NodeLabelsAndTaints.POOL, wanted.pool());
      }
      if (allowed(
          NodeLabelsAndTaints.QUARANTINE_BY,
          shown.quarantine(),
          wanted.quarantine(),
          taint(node))) {
        taints = with(wanted.quarantine());
      }
    }

    /** Returns whether this label or taint must change and is Fairlead's or unowned. */
    private boolean allowed(
        String by, @Nullable String shown, @Nullable String wanted, @Nullable String there) {
      if (wanted == null ? shown == null : wanted.equals(shown)) {
        return false;
      }
      String other = annotation(node, by);
      if (shown == null && (there != null || other != null)) {
        foreign =
            "node "
                + node.getMetadata().getName()
                + " has "
                + by.substring(0, by.length() - "-by".length())
                + " from another party";
        return false;
      }
      annotations.put(by, wanted == null ? null : ours);
      return true;
    }

    private List<Taint> with(@Nullable String value) {
      List<Taint> next = new ArrayList<>(taints(node));
      next.removeIf(taint -> quarantine(taint.getKey(), taint.getEffect()));
      if (value != null) {
        next.add(
            new Taint(NodeLabelsAndTaints.EFFECT, NodeLabelsAndTaints.QUARANTINE, null, value));
      }
      return next;
    }

    boolean due() {
      return !annotations.isEmpty();
    }

    String patch() {
      SortedMap<String, Object> metadata = new TreeMap<>();
      metadata.put("resourceVersion", node.getMetadata().getResourceVersion());
      metadata.put("annotations", annotations);
      metadata.put("labels", labels);
      SortedMap<String, Object> patch = new TreeMap<>();
      patch.put("metadata", metadata);
      if (taints != null) {
        patch.put("spec", Map.of("taints", taints));
      }
      return Serialization.asJson(patch);
    }
  }
}
