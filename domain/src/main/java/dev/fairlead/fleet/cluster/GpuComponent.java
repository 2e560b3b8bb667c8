package dev.fairlead.fleet.cluster;

import java.util.List;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Software that a cluster's GPUs need, or that watches over them, as far as the cluster shows it.
 *
 * @param versions that of most nodes first; more than one where nodes differ, none where it is not
 *     present or its version is not shown
 * @param reason for people: what is not known of it, or why it is not there; null when all is known
 */
public record GpuComponent(
    Part part, State state, List<Version> versions, @Nullable String reason) {
  public GpuComponent {
    versions = List.copyOf(versions);
  }

  /** What a GPU stack consists of, in the order in which it is told. */
  public enum Part {
    /** NVIDIA GPU Operator, which sets up the others. */
    GPU_OPERATOR,
    /** The kernel driver. */
    DRIVER,
    /** Lets containers use devices. */
    CONTAINER_TOOLKIT,
    /** Offers GPUs to the cluster's scheduler. */
    DEVICE_PLUGIN,
    /** Labels nodes with what their GPUs are. */
    FEATURE_DISCOVERY,
    /** Measures GPUs. */
    DCGM_EXPORTER,
    /** Turns faults of machines into conditions of their nodes. */
    NODE_PROBLEM_DETECTOR
  }

  /** What is known of a part; what could not be looked at is unknown, not absent. */
  public enum State {
    PRESENT,
    ABSENT,
    UNKNOWN
  }

  /**
   * A version that some nodes have.
   *
   * @param version as its label or image has it
   * @param nodes where it runs; 0 for one that is no matter of nodes
   */
  public record Version(String version, int nodes) {}

  /**
   * @param nodes how many have each version
   */
  public static GpuComponent present(
      Part part, SortedMap<String, Integer> nodes, @Nullable String reason) {
    List<Version> versions =
        nodes.entrySet().stream()
            .map(entry -> new Version(entry.getKey(), entry.getValue()))
            .sorted((a, b) -> Integer.compare(b.nodes(), a.nodes()))
            .toList();
    return new GpuComponent(part, State.PRESENT, versions, reason);
  }

  public static GpuComponent absent(Part part, String reason) {
    return new GpuComponent(part, State.ABSENT, List.of(), reason);
  }

  public static GpuComponent unknown(Part part, String reason) {
    return new GpuComponent(part, State.UNKNOWN, List.of(), reason);
  }

  /** {@code 570.124.06 on 6 nodes, 550.90.07 on 2 nodes}. */
  public String told() {
    return versions.stream()
        .map(each ->
            each.nodes() == 0 ? each.version() : each.version() + " on " + each.nodes() + " nodes")
        .collect(Collectors.joining(", "));
  }
}
