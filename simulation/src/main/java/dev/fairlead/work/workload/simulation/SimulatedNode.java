package dev.fairlead.work.workload.simulation;

import dev.fairlead.care.health.NodeSignTable;
import dev.fairlead.fleet.node.NodeCondition;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReportBuilder;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.member.GpuShare;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A machine with its capacity, its pods and its faults. Driven by {@link Kubelet}. */
final class SimulatedNode {
  /**
   * Constant properties of the machine.
   *
   * @param gpuModel name in Fairlead's catalogue, {@code CPU} without GPU
   * @param gpuMemoryMiB memory of each GPU in MiB
   * @param capacity with all GPUs healthy
   * @param topology domain name by level
   * @param serials serials of its GPUs, by index
   */
  record Machine(
      String name,
      String gpuModel,
      long gpuMemoryMiB,
      ResourceVector capacity,
      SortedMap<String, String> labels,
      SortedMap<String, String> topology,
      List<String> serials) {}

  /** Reason why a node refuses a pod. */
  record Refusal(String reason, String message) {}

  private static final List<String> RESOURCES =
      List.of(ResourceNames.CPU, ResourceNames.MEMORY, ResourceNames.PODS, ResourceNames.GPU);

  /** Pods without a recorded end, in order of their creation. */
  final Set<SimulatedPod> pods = new LinkedHashSet<>();

  private final Machine machine;
  private final long[] heldMilli;
  private final int[] heldSlices;
  private final boolean[] lostGpus;
  private String bootId;
  private boolean silent;
  private boolean kubeletDead;
  private boolean cordoned;
  private boolean ourCordon;
  private NodeLabelsAndTaints labelsAndTaints = NodeLabelsAndTaints.NONE;
  private boolean gone;
  private List<NodeCondition> conditions = List.of();
  private List<Taint> taints = List.of();
  private ResourceVector held = ResourceVector.ZERO;
  private ResourceVector foreign = ResourceVector.ZERO;
  private final SortedMap<String, String> annotations = new TreeMap<>();
  private @Nullable NodeReport report;

  SimulatedNode(Machine machine, String bootId) {
    this.machine = machine;
    this.bootId = bootId;
    heldMilli = new long[machine.serials().size()];
    heldSlices = new int[heldMilli.length];
    lostGpus = new boolean[heldMilli.length];
  }

  String name() {
    return machine.name();
  }

  /** Returns whether the node's kubelet works. */
  boolean answers() {
    return !silent && !gone;
  }

  boolean gone() {
    return gone;
  }

  /**
   * Returns whether the node's kubelet is dead, so that it neither starts, stops nor ends anything.
   */
  boolean kubeletDead() {
    return kubeletDead;
  }

  void killKubelet() {
    silent(true);
    kubeletDead = true;
  }

  void silent(boolean now) {
    silent = now;
    kubeletDead = false;
    report = null;
  }

  void gone(boolean now) {
    gone = now;
    report = null;
  }

  void booted(String newBootId) {
    bootId = newBootId;
    silent = false;
    kubeletDead = false;
    gone = false;
    report = null;
  }

  void cordoned(boolean now) {
    cordoned = now;
    ourCordon = false;
    report = null;
  }

  void shows(List<NodeCondition> status, List<Taint> keys) {
    conditions = List.copyOf(status);
    taints = List.copyOf(keys);
    report = null;
  }

  void labelsAndTaints(NodeLabelsAndTaints now) {
    labelsAndTaints = now;
    report = null;
  }

  /** Annotations after this update. Null removes one. */
  SortedMap<String, String> noted(SortedMap<String, @Nullable String> notes) {
    notes.forEach((name, value) -> {
      if (value == null) {
        annotations.remove(name);
      } else {
        annotations.put(name, value);
      }
    });
    return new TreeMap<>(annotations);
  }

  /** Sets or removes Fairlead's cordon like {@link #cordoned}. A foreign cordon does not change. */
  void keptOut(boolean now) {
    if (now != cordoned && (now || ourCordon)) {
      cordoned(now);
      ourCordon = now;
    }
  }

  /**
   * @throws IllegalArgumentException when it has no GPU of that index
   */
  void gpuLost(int index, boolean now) {
    if (index < 0 || index >= lostGpus.length) {
      throw new IllegalArgumentException(name() + " has no GPU " + index);
    }
    lostGpus[index] = now;
    report = null;
  }

  void addForeign(ResourceVector use) {
    foreign = foreign.plus(use);
    report = null;
  }

  void clearForeign() {
    foreign = ResourceVector.ZERO;
    report = null;
  }

  /** Reason why the pod cannot run here, in the order of a kubelet's checks, null when it can. */
  @Nullable Refusal refusal(SimulatedPod pod) {
    if (cordoned) {
      return new Refusal("AdmissionRefused", "node " + name() + " is cordoned");
    }
    List<String> resources = new ArrayList<>(RESOURCES);
    resources.addAll(pod.request.extended().keySet());
    for (String resource : resources) {
      long asked = pod.request.amount(resource);
      long used = held.amount(resource) + foreign.amount(resource);
      long capacity = allocatable().amount(resource);
      if (asked > 0 && used + asked > capacity) {
        return outOf(resource, asked, used, capacity);
      }
    }
    return refusedDevice(pod);
  }

  /**
   * GPUs for a pod that a scheduler binds to this node, null if the node is closed, does not
   * respond, or lacks capacity.
   */
  @Nullable List<GpuShare> room(SimulatedPod pod) {
    ResourceVector used = foreign.plus(pod.request);
    Set<Integer> taken = new HashSet<>();
    for (SimulatedPod other : pods) {
      used = used.plus(other.request);
      other.gpus.forEach(share -> taken.add(share.index()));
    }
    if (cordoned || !answers() || !used.fitsIn(allocatable())) {
      return null;
    }
    List<GpuShare> free = new ArrayList<>();
    for (int i = 0; i < lostGpus.length && free.size() < pod.gpus.size(); i++) {
      if (!lostGpus[i] && !taken.contains(i)) {
        free.add(new GpuShare(i, machine.serials().get(i), Gpu.WHOLE_MILLI));
      }
    }
    return free.size() == pod.gpus.size() ? free : null;
  }

  void take(SimulatedPod pod) {
    held = held.plus(pod.request);
    hold(pod, 1);
    pod.holds = true;
  }

  /** Releases the pod once for each {@link #take}. Later calls have no effect. */
  void release(SimulatedPod pod) {
    if (pod.holds) {
      held = held.minus(pod.request);
      hold(pod, -1);
      pod.holds = false;
    }
  }

  /** Capacity without broken GPUs. */
  private ResourceVector allocatable() {
    ResourceVector all = machine.capacity();
    long lost = 0;
    for (boolean one : lostGpus) {
      lost += one ? Gpu.WHOLE_MILLI : 0;
    }
    return new ResourceVector(
        all.cpuMilli(), all.memoryMiB(), all.gpuMilli() - lost, all.pods(), all.extended());
  }

  NodeReport report() {
    if (report == null) {
      report =
          NodeReportBuilder.builder()
              .name(name())
              .ready(answers())
              .cordoned(cordoned)
              .ourCordon(cordoned && ourCordon)
              .machineGone(gone)
              .gpuModel(machine.gpuModel())
              .gpuMemoryMiB(machine.gpuMemoryMiB())
              .allocatable(allocatable())
              .foreign(foreign)
              .labels(machine.labels())
              .taints(
                  NodeSignTable.CURRENT.withNotice(taints, Map.of(), machine.labels(), conditions))
              .topology(machine.topology())
              .bootId(bootId)
              .gpus(gpus())
              .faults(NodeSignTable.CURRENT.faults(conditions))
              .labelsAndTaints(labelsAndTaints)
              .build();
    }
    return report;
  }

  private List<Gpu> gpus() {
    List<Gpu> all = new ArrayList<>();
    for (int i = 0; i < lostGpus.length; i++) {
      GpuState state = lostGpus[i] ? GpuState.FAILED : GpuState.HEALTHY;
      all.add(new Gpu(i, machine.serials().get(i), state, 0));
    }
    return all;
  }

  private static Refusal outOf(String resource, long asked, long used, long capacity) {
    String name = resource.equals(ResourceNames.GPU) ? "nvidia.com/gpu" : resource;
    String numbers = ", requested: " + asked + ", used: " + used + ", capacity: " + capacity;
    return new Refusal("OutOf" + name, "Node didn't have enough resource: " + name + numbers);
  }

  private @Nullable Refusal refusedDevice(SimulatedPod pod) {
    for (GpuShare share : pod.gpus) {
      int index = share.index();
      if (index < 0 || index >= lostGpus.length || lostGpus[index]) {
        return new Refusal(
            "UnexpectedAdmissionError", "Allocate failed: GPU " + index + " is not healthy");
      }
      if (heldMilli[index] + share.milli() > Gpu.WHOLE_MILLI) {
        return outOf(ResourceNames.GPU, share.milli(), heldMilli[index], Gpu.WHOLE_MILLI);
      }
      boolean otherwise = heldMilli[index] > 0 && (heldSlices[index] == 0) != (share.slices() == 0);
      if (otherwise || (heldSlices[index] & share.slices()) != 0) {
        return new Refusal(
            "UnexpectedAdmissionError", "Allocate failed: slices of GPU " + index + " are taken");
      }
    }
    return null;
  }

  private void hold(SimulatedPod pod, int sign) {
    for (GpuShare share : pod.gpus) {
      heldMilli[share.index()] += (long) sign * share.milli();
      heldSlices[share.index()] =
          sign > 0
              ? heldSlices[share.index()] | share.slices()
              : heldSlices[share.index()] & ~share.slices();
    }
  }
}
