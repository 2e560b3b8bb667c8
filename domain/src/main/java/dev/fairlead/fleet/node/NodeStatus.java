package dev.fairlead.fleet.node;

import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceVector;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The part of a node that changes, except for its pool.
 *
 * @param gpuModel model of all its GPUs, {@link Flavor#CPU} for a node without GPUs
 * @param gpuMemoryMiB device memory of each GPU, 0 without GPUs
 * @param allocatable resources that its cluster offers now
 * @param allocated resources that live attempts hold
 * @param foreign resources that pods outside Fairlead use
 * @param topology domain name by level, for the levels of its cluster
 * @param bootId changes with each boot of the machine
 * @param gpus GPUs by index
 * @param capacity capacity type by its labels, null if they name none, and the type of its cluster
 *     counts
 */
@RecordBuilder
public record NodeStatus(
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
    @Nullable CapacityType capacity)
    implements NodeStatusBuilder.With {
  /** Status of a machine that is not in service and has no resources, labels and GPUs. */
  public static final NodeStatus EMPTY =
      NodeStatusBuilder.builder()
          .state(NodeState.RETIRED)
          .gpuModel(Flavor.CPU)
          .gpuMemoryMiB(0)
          .allocatable(ResourceVector.ZERO)
          .allocated(ResourceVector.ZERO)
          .foreign(ResourceVector.ZERO)
          .labels(Collections.emptySortedMap())
          .taints(List.of())
          .topology(Collections.emptySortedMap())
          .bootId("")
          .gpus(List.of())
          .capacity(null)
          .build();

  public NodeStatus {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    taints = List.copyOf(taints);
    topology = Collections.unmodifiableSortedMap(new TreeMap<>(topology));
    gpus = List.copyOf(gpus);
  }

  /** Returns the status with these labels and the capacity type that they name. */
  public NodeStatus labelled(SortedMap<String, String> all) {
    return with().labels(all).capacity(CapacityLabels.of(all).orElse(null)).build();
  }
}
