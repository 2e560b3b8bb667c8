package dev.fairlead.fleet.node;

import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.resources.ResourceVector;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Node reports for tests. Default: ready, 64 cores, 512 GiB, 8 H100. */
public final class NodeReports {
  private static final long H100_MEMORY_MIB = 81_559;

  private final String name;
  private final SortedMap<String, Long> offered = new TreeMap<>();
  private boolean ready = true;
  private boolean cordoned;
  private boolean machineGone;
  private NodeLabelsAndTaints labelsAndTaints = NodeLabelsAndTaints.NONE;
  private String bootId = "boot-1";
  private String model = "H100";
  private final SortedMap<String, String> labels = new TreeMap<>();
  private ResourceVector foreign = ResourceVector.ZERO;
  private long cpuMilli = 64_000;
  private final List<NodeCondition> faults = new ArrayList<>();
  private final List<Taint> taints = new ArrayList<>();
  private final SortedMap<String, String> topology = new TreeMap<>();
  private final List<Gpu> gpus = new ArrayList<>();

  private NodeReports(String name) {
    this.name = name;
    gpus(8);
  }

  public static NodeReports node(String name) {
    return new NodeReports(name);
  }

  public NodeReports gpus(int count) {
    gpus.clear();
    for (int i = 0; i < count; i++) {
      gpus.add(new Gpu(i, name + "/" + i, GpuState.HEALTHY, 0));
    }
    return this;
  }

  /** Devices with these UUIDs, in the order of their driver. */
  public NodeReports devices(String... uuids) {
    gpus.clear();
    for (String uuid : uuids) {
      gpus.add(new Gpu(gpus.size(), uuid, GpuState.HEALTHY, 0));
    }
    return this;
  }

  /** One device in the given state. */
  public NodeReports gpu(int index, GpuState state) {
    gpus.set(index, new Gpu(index, name + "/" + index, state, 0));
    return this;
  }

  public NodeReports model(String name) {
    model = name;
    return this;
  }

  public NodeReports label(String name, String value) {
    labels.put(name, value);
    return this;
  }

  public NodeReports cpuMilli(long milli) {
    cpuMilli = milli;
    return this;
  }

  public NodeReports foreign(ResourceVector used) {
    foreign = used;
    return this;
  }

  /** Adds an amount of another resource. */
  public NodeReports offers(String resource, long amount) {
    offered.put(resource, amount);
    return this;
  }

  public NodeReports notReady() {
    ready = false;
    return this;
  }

  public NodeReports cordoned() {
    cordoned = true;
    return this;
  }

  /** Adds a condition that the table lists as a fault. */
  public NodeReports fault(String type, String status, Instant since) {
    faults.add(new NodeCondition(type, status, "Test", since));
    return this;
  }

  /** Adds the notice that the provider removes the machine. */
  public NodeReports leaving() {
    taints.add(new Taint(Taint.LEAVING, "", "NoSchedule"));
    return this;
  }

  /** Adds a notice with this deadline. */
  public NodeReports notice(NodeNotice.Kind kind, Instant deadline) {
    NodeNotice notice = new NodeNotice(kind, "test/notice", "a test", deadline, kind.within());
    taints.add(notice.taint());
    taints.add(notice.leaving());
    return this;
  }

  public NodeReports taints(List<Taint> more) {
    taints.addAll(more);
    return this;
  }

  public NodeReports machineGone() {
    machineGone = true;
    return this;
  }

  /** The node shows our pool or quarantine. */
  public NodeReports labelsAndTaints(NodeLabelsAndTaints shown) {
    labelsAndTaints = shown;
    return this;
  }

  public NodeReports bootId(String id) {
    bootId = id;
    return this;
  }

  public NodeReports outOfService() {
    taints.add(new Taint(Taint.OUT_OF_SERVICE, "nodeshutdown", "NoExecute"));
    return this;
  }

  public NodeReports topology(String level, String domain) {
    topology.put(level, domain);
    return this;
  }

  public NodeReport build() {
    ResourceVector allocatable =
        new ResourceVector(cpuMilli, 512 * 1024, gpus.size() * 1000L, 110, offered);
    boolean gpuNode = !gpus.isEmpty();
    return new NodeReport(
        name,
        ready,
        cordoned,
        false,
        machineGone,
        gpuNode ? model : "CPU",
        gpuNode ? H100_MEMORY_MIB : 0,
        allocatable,
        foreign,
        labels,
        taints,
        topology,
        bootId,
        gpus,
        faults,
        labelsAndTaints);
  }
}
