package dev.fairlead.fleet.cluster;

import java.util.List;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A component of the software that uses or monitors GPUs.
 *
 * @param state ABSENT only if the cluster was searched completely
 * @param versions versions, the most frequent first. Several if nodes differ
 * @param reason information that is missing and why, null if everything is known
 */
public record GpuComponent(
    Part part, State state, List<GpuVersion> versions, @Nullable String reason) {
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
   * A version of the component.
   *
   * @param version version by its label or image
   * @param nodes number of nodes with this version, 0 for a component that does not run on nodes
   */
  public record GpuVersion(String version, int nodes) {}

  /**
   * @param nodes number of nodes by version
   */
  public static GpuComponent present(
      Part part, SortedMap<String, Integer> nodes, @Nullable String reason) {
    List<GpuVersion> versions =
        nodes.entrySet().stream()
            .map(entry -> new GpuVersion(entry.getKey(), entry.getValue()))
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
