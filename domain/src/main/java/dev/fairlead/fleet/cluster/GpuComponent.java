package dev.fairlead.fleet.cluster;

import java.util.List;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A part of a cluster's GPU software or of its monitoring, as far as it is visible on the cluster.
 *
 * @param versions the version of most nodes first, several if nodes differ, none if the part is
 *     absent or does not show its version
 * @param reason human-readable: the unknown fact about it, or why it is absent, null if everything
 *     is known
 */
public record GpuComponent(
    Part part, State state, List<Version> versions, @Nullable String reason) {
  public GpuComponent {
    versions = List.copyOf(versions);
  }

  /** The parts of a GPU stack, in report order. */
  public enum Part {
    /** NVIDIA GPU Operator, which installs the other parts. */
    GPU_OPERATOR,
    /** The kernel driver. */
    DRIVER,
    /** Gives containers access to devices. */
    CONTAINER_TOOLKIT,
    /** Offers GPUs to the cluster's scheduler. */
    DEVICE_PLUGIN,
    /** Labels nodes with the properties of their GPUs. */
    FEATURE_DISCOVERY,
    /** Measures GPUs. */
    DCGM_EXPORTER,
    /** Converts faults of machines into conditions of their nodes. */
    NODE_PROBLEM_DETECTOR
  }

  /** State of a part. A part that could not be checked is unknown, not absent. */
  public enum State {
    PRESENT,
    ABSENT,
    UNKNOWN
  }

  /**
   * A version on some nodes.
   *
   * @param version text of its label or image
   * @param nodes number of nodes that run it, 0 for a part that is not installed per node
   */
  public record Version(String version, int nodes) {}

  /**
   * @param nodes number of nodes by version
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

  /** Formats the versions: {@code 570.124.06 on 6 nodes, 550.90.07 on 2 nodes}. */
  public String told() {
    return versions.stream()
        .map(each ->
            each.nodes() == 0 ? each.version() : each.version() + " on " + each.nodes() + " nodes")
        .collect(Collectors.joining(", "));
  }
}
