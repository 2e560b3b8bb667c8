package dev.fairlead.work.workload.simulation;

import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.MemberKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Binds pods to nodes: a pod starts on the planned node of its member, or waits for the node that a
 * scheduler of the cluster chooses.
 */
public final class PodBinder {
  private final SimulatedNode none =
      new SimulatedNode(
          new SimulatedNode.Machine(
              "",
              "CPU",
              0,
              ResourceVector.ZERO,
              Collections.emptySortedMap(),
              Collections.emptySortedMap(),
              List.of()),
          "");
  private final WorkloadBook book;
  private final SimulatedInventory inventory;
  private final Kubelet kubelet;
  private final Consumer<Runnable> step;
  private boolean waits;

  /**
   * @param step runs one step of the cluster
   */
  PodBinder(
      WorkloadBook book, SimulatedInventory inventory, Kubelet kubelet, Consumer<Runnable> step) {
    this.book = book;
    this.inventory = inventory;
    this.kubelet = kubelet;
    this.step = step;
  }

  /** Leaves the pods of later launches without a node until {@link #bind}. */
  public void waitForScheduler() {
    step.accept(() -> waits = true);
  }

  SimulatedNode first(String planned) {
    return waits ? none : inventory.node(planned);
  }

  /** Binds a new pod, unless it waits for a scheduler. */
  void created(SimulatedPod pod) {
    if (waits) {
      kubelet.changed(pod);
    } else {
      kubelet.bind(pod);
    }
  }

  /** Nodes of the pods without a recorded end. The text is empty for a pod without a node. */
  public SortedMap<AttemptId, SortedMap<MemberKey, String>> nodes() {
    SortedMap<AttemptId, SortedMap<MemberKey, String>> nodes = new TreeMap<>();
    step.accept(() -> nodes.putAll(seen()));
    return nodes;
  }

  private SortedMap<AttemptId, SortedMap<MemberKey, String>> seen() {
    SortedMap<AttemptId, SortedMap<MemberKey, String>> nodes = new TreeMap<>();
    book.all()
        .forEach(workload ->
            workload.pods.values().stream()
                .filter(SimulatedPod::open)
                .forEach(pod ->
                    nodes
                        .computeIfAbsent(workload.attempt, id -> new TreeMap<>())
                        .put(pod.key, pod.node.name())));
    return nodes;
  }

  /**
   * Binds pods of an attempt, all or none. Returns false if the pod does not wait for a node, or if
   * the node is closed, does not respond, or lacks capacity.
   *
   * @param nodes node of each member
   */
  public boolean bind(AttemptId attempt, Map<MemberKey, String> nodes) {
    AtomicBoolean bound = new AtomicBoolean();
    step.accept(() -> bound.set(place(attempt, nodes)));
    return bound.get();
  }

  private boolean place(AttemptId attempt, Map<MemberKey, String> nodes) {
    SimulatedWorkload workload = book.find(attempt);
    List<SimulatedPod> bound = new ArrayList<>();
    for (Map.Entry<MemberKey, String> each : nodes.entrySet()) {
      SimulatedPod pod = workload == null ? null : workload.pods.get(each.getKey());
      if (pod == null || !place(pod, inventory.find(each.getValue()))) {
        bound.forEach(this::remove);
        return false;
      }
      bound.add(pod);
    }
    bound.forEach(kubelet::bind);
    return true;
  }

  private boolean place(SimulatedPod pod, @Nullable SimulatedNode node) {
    List<GpuShare> gpus = node == null || pod.node != none || !pod.open() ? null : node.room(pod);
    if (node == null || gpus == null) {
      return false;
    }
    pod.node = node;
    pod.gpus = gpus;
    node.pods.add(pod);
    return true;
  }

  private void remove(SimulatedPod pod) {
    pod.node.pods.remove(pod);
    pod.node = none;
  }
}
