package dev.fairlead.verify;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Capabilities.Presence;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.ExtraContainers;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.TopologySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Clusters and jobs for the engine, with only the properties that affect placement. */
public final class EngineObjects {
  private EngineObjects() {}

  /** A role of equal members. */
  public record Members(
      String role, int most, int fewest, GpuRequest gpu, long cpuMilli, long memoryMiB) {
    public RoleSpec of(String image, @Nullable TopologySpec topology) {
      return new RoleSpec(
          role,
          most,
          fewest,
          image,
          CommandSpec.OF_IMAGE,
          Collections.emptySortedMap(),
          Collections.emptySortedMap(),
          gpu,
          cpuMilli,
          memoryMiB,
          64,
          false,
          topology,
          ExtraContainers.NONE);
    }
  }

  /**
   * @param grace grace period of an eviction
   */
  public static JobSpec job(
      String queue,
      List<RoleSpec> roles,
      PlacementSpec placement,
      boolean preemptible,
      Duration grace) {
    JobSpec.PreemptionSpec preemption =
        new JobSpec.PreemptionSpec(preemptible, grace, Duration.ZERO);
    return JobSpec.of("job", queue, roles, preemption).withPlacement(placement);
  }

  /**
   * A cluster of a trace, whose GPUs can be shared.
   *
   * @param levels levels of its topology, widest first
   */
  public static Cluster cluster(ClusterId id, String name, List<String> levels) {
    Capabilities shares =
        new Capabilities(
            "",
            Capabilities.Fence.UNKNOWN,
            GpuIdentity.ENFORCED,
            true,
            false,
            false,
            false,
            levels,
            "cluster.local",
            false,
            List.of(),
            Collections.emptySortedMap(),
            null,
            List.of(),
            List.of(),
            Presence.UNKNOWN,
            List.of());
    return new Cluster(
        id,
        name,
        ClusterKind.SIMULATED,
        ClusterState.ACTIVE,
        CapacityType.RESERVED,
        Collections.emptySortedMap(),
        ClusterSettings.DEFAULT,
        shares,
        Instant.EPOCH,
        null,
        null,
        1);
  }
}
