package dev.fairlead.supply;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.node.Node;
import dev.fairlead.resources.CapacityType;
import dev.fairlead.resources.GpuModel;
import dev.fairlead.resources.ResourceVector;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a supplier's nodes are like.
 *
 * @param model GPU model
 * @param gpus of each node, at least 1
 * @param gpuMemoryMiB device memory of each GPU, 0 where it is not known
 * @param offers what each node has for pods
 * @param labels that each node has, beside those that the pool selects by
 */
public record NodeKind(
    String model,
    int gpus,
    long gpuMemoryMiB,
    CapacityType capacity,
    ResourceVector offers,
    SortedMap<String, String> labels) {
  public NodeKind {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
  }

  /** In what the node is another one than was asked for; empty when it is not. */
  public Optional<String> difference(Node node, Cluster cluster) {
    if (!GpuModel.answers(node.gpuModel(), model) || node.gpus().size() != gpus) {
      return Optional.of(
          "has %d %s GPUs, not %d %s".formatted(node.gpus().size(), node.gpuModel(), gpus, model));
    }
    CapacityType its = cluster.capacityOf(node);
    return its == capacity ? Optional.empty() : Optional.of("is " + its + ", not " + capacity);
  }
}
