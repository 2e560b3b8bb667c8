package dev.fairlead.cluster;

import dev.fairlead.resources.Flavor;
import dev.fairlead.resources.ResourceVector;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

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
    long version) {
  public Node {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    taints = List.copyOf(taints);
    topology = Collections.unmodifiableSortedMap(new TreeMap<>(topology));
    gpus = List.copyOf(gpus);
  }

  /** What is left for us; negative where the node is over-committed. */
  public ResourceVector free() {
    return allocatable.minus(allocated).minus(foreign);
  }
}
