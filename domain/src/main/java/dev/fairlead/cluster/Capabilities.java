package dev.fairlead.cluster;

import java.util.List;

/**
 * What a cluster can do, as found out by asking it.
 *
 * @param serverVersion version of its API server, empty when unknown
 * @param fence whether a deposed supervisor's creates are refused there
 * @param gpuIdentity whether the planned device is the one a member gets
 * @param sharing whether fractions and memory shares are realised there
 * @param mig whether MIG profiles are offered there
 * @param topologyLevels names of its levels, widest first
 * @param clusterDomain DNS suffix of its services
 */
public record Capabilities(
    String serverVersion,
    Fence fence,
    GpuIdentity gpuIdentity,
    boolean sharing,
    boolean mig,
    boolean networkPolicy,
    boolean dra,
    List<String> topologyLevels,
    String clusterDomain) {
  /** State of the admission fence on the cluster. */
  public enum Fence {
    ENFORCED,
    ABSENT,
    UNKNOWN
  }

  /** How sure it is which GPU a member has. */
  public enum GpuIdentity {
    ENFORCED,
    OBSERVED,
    UNKNOWN
  }

  public static final Capabilities UNSEEN =
      new Capabilities(
          "",
          Fence.UNKNOWN,
          GpuIdentity.UNKNOWN,
          false,
          false,
          false,
          false,
          List.of(),
          "cluster.local");

  public Capabilities {
    topologyLevels = List.copyOf(topologyLevels);
  }
}
