package dev.fairlead.fleet.node;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceVector;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A machine of a cluster as Fairlead knows it.
 *
 * @param gpuModel model of all its GPUs, {@link Flavor#CPU} for a node without
 * @param gpuMemoryMiB device memory of each GPU, 0 without
 * @param allocatable what its cluster offers now
 * @param allocated what live attempts of ours hold
 * @param foreign what others' pods use
 * @param topology domain name by level, for the levels of its cluster
 * @param bootId changes with each boot of the machine
 * @param gpus by index
 * @param capacity how it is paid for, as its labels say; null when they do not, and the value of
 *     its cluster counts
 * @param pool the one it belongs to, null for none
 */
public record Node(
    NodeId id,
    ClusterId cluster,
    String name,
    NodeState state,
    String gpuModel,
    long gpuMemoryMiB,
    ResourceVector allocatable,
    ResourceVector allocated,
    ResourceVector foreign,
    SortedMap<String, String> labels,
    List<Taint> taints,
    SortedMap<String, String> topology,
    String bootId,
    List<Gpu> gpus,
    long version,
    @Nullable CapacityType capacity,
    @Nullable NodePool pool) {
  public Node {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    taints = List.copyOf(taints);
    topology = Collections.unmodifiableSortedMap(new TreeMap<>(topology));
    gpus = List.copyOf(gpus);
  }

  /** One of no pool, with the capacity type of its labels. */
  public Node(
      NodeId id,
      ClusterId cluster,
      String name,
      NodeState state,
      String gpuModel,
      long gpuMemoryMiB,
      ResourceVector allocatable,
      ResourceVector allocated,
      ResourceVector foreign,
      SortedMap<String, String> labels,
      List<Taint> taints,
      SortedMap<String, String> topology,
      String bootId,
      List<Gpu> gpus,
      long version) {
    this(
        id,
        cluster,
        name,
        state,
        gpuModel,
        gpuMemoryMiB,
        allocatable,
        allocated,
        foreign,
        labels,
        taints,
        topology,
        bootId,
        gpus,
        version,
        CapacityLabels.of(labels).orElse(null),
        null);
  }

  /** The same in another pool, null for none. */
  public Node in(@Nullable NodePool other) {
    return Objects.equals(pool, other)
        ? this
        : new Node(
            id,
            cluster,
            name,
            state,
            gpuModel,
            gpuMemoryMiB,
            allocatable,
            allocated,
            foreign,
            labels,
            taints,
            topology,
            bootId,
            gpus,
            version,
            capacity,
            other);
  }

  /** What is left for us; negative where the node is over-committed. */
  public ResourceVector free() {
    return allocatable.minus(allocated).minus(foreign);
  }
}
