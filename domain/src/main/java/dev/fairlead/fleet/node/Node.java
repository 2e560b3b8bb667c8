package dev.fairlead.fleet.node;

import dev.fairlead.fleet.node.gpu.Gpu;
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
 * A machine of a cluster, as stored by Fairlead.
 *
 * @param gpuModel model of all its GPUs, {@link Flavor#CPU} for a node without GPUs
 * @param gpuMemoryMiB device memory of each GPU, 0 without GPUs
 * @param allocatable resources that its cluster offers now
 * @param allocated resources that live attempts hold
 * @param foreign resources that pods outside Fairlead use
 * @param topology domain name by level, for the levels of its cluster
 * @param bootId changes with each boot of the machine
 * @param gpus by index
 * @param capacity capacity type by its labels, null if they name none, and the type of its cluster
 *     counts
 * @param pool its pool, null for none
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

  /** Creates a node of no pool, with the capacity type of its labels. */
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

  /** Returns the node in another pool, null for none. */
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

  /** Returns the free resources, negative if the node is over-committed. */
  public ResourceVector free() {
    return allocatable.minus(allocated).minus(foreign);
  }
}
