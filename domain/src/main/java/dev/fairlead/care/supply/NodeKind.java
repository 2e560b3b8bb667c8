package dev.fairlead.care.supply;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.GpuModel;
import dev.fairlead.kernel.resources.Quantity;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.resources.ResourceVector;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Properties of a provisioner's nodes.
 *
 * @param model GPU model
 * @param gpus GPUs of each node, at least 1
 * @param gpuMemoryMiB device memory of each GPU, 0 if unknown
 * @param offers resources of each node for pods
 * @param labels labels of each node, in addition to the labels that the pool selects
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

  /**
   * Returns how the node differs from the requested kind such that it can hold less, or other jobs.
   * The result is empty if it does not. A surplus of memory, CPU or labels is not a difference.
   */
  public Optional<String> difference(Node node, Cluster cluster) {
    if (!GpuModel.answers(node.gpuModel(), model) || node.gpus().size() != gpus) {
      return Optional.of(
          "has %d %s GPUs, not %d %s".formatted(node.gpus().size(), node.gpuModel(), gpus, model));
    }
    CapacityType its = cluster.capacityOf(node);
    if (its != capacity) {
      return Optional.of("is " + its + ", not " + capacity);
    }
    return less(node).or(() -> label(node)).or(() -> taint(node));
  }

  private Optional<String> less(Node node) {
    if (node.gpuMemoryMiB() > 0 && node.gpuMemoryMiB() < gpuMemoryMiB) {
      return Optional.of(
          "has GPUs of %d MiB, not of %d MiB".formatted(node.gpuMemoryMiB(), gpuMemoryMiB));
    }
    /* GPUs are compared by device, and the maximum number of pods is not specified. */
    return offers.names().stream()
        .filter(name -> !name.equals(ResourceNames.GPU) && !name.equals(ResourceNames.PODS))
        .filter(name -> node.allocatable().amount(name) < offers.amount(name))
        .findFirst()
        .map(name ->
            "has %s for pods, not %s"
                .formatted(amount(node.allocatable(), name), amount(offers, name)));
  }

  private static String amount(ResourceVector of, String name) {
    return switch (name) {
      case ResourceNames.CPU -> "cpu " + Quantity.ofMilli(of.cpuMilli());
      case ResourceNames.MEMORY -> "memory " + Quantity.ofMebibytes(of.memoryMiB());
      default -> name + " " + of.amount(name);
    };
  }

  private Optional<String> label(Node node) {
    return labels.entrySet().stream()
        .filter(label -> !label.getValue().equals(node.labels().get(label.getKey())))
        .findFirst()
        .map(label -> "has no label " + label.getKey() + "=" + label.getValue());
  }

  private static Optional<String> taint(Node node) {
    return node.taints().stream()
        .filter(Taint::keepsJobsOut)
        .findFirst()
        .map(taint -> "has the taint " + taint.key() + ", so it accepts no jobs");
  }
}
