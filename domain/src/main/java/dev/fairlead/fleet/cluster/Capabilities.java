package dev.fairlead.fleet.cluster;

import dev.fairlead.fleet.cluster.connection.ClusterRight;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Capabilities of the cluster, as probed.
 *
 * @param serverVersion version of its API server, empty if unknown
 * @param fence whether the cluster itself refuses objects of a replaced supervisor
 * @param gpuIdentity certainty about the devices of members: ENFORCED if Fairlead chooses them,
 *     OBSERVED if pods show them after the start, UNKNOWN otherwise
 * @param sharing whether the cluster supports fractions and memory shares of GPUs
 * @param mig whether the cluster offers MIG slices
 * @param networkPolicy whether network policies take effect on the cluster
 * @param dra whether the cluster has Dynamic Resource Allocation
 * @param topologyLevels topology levels with labels on the nodes of the cluster, widest first
 * @param clusterDomain DNS suffix of its services
 * @param priorityClasses whether the cluster has the priority classes of Fairlead
 * @param storageClasses storage classes of the cluster, sorted
 * @param reasons reasons why capabilities are missing or unknown, by name
 * @param rightsAsked {@link ClusterRight#LIST} of the version that last checked its rights, null if
 *     none did or the cluster did not answer
 * @param isolation isolation of jobs and Fairlead on the cluster, empty before the first contact
 * @param gpuStack software for GPUs, empty before the first check
 * @param nodeLabelsAndTaints whether a node shows a pool or quarantine of Fairlead
 * @param deviceClasses names of the device classes of dynamic resource allocation, sorted
 */
@RecordBuilder
public record Capabilities(
    String serverVersion,
    Fence fence,
    GpuIdentity gpuIdentity,
    boolean sharing,
    boolean mig,
    boolean networkPolicy,
    boolean dra,
    List<String> topologyLevels,
    String clusterDomain,
    boolean priorityClasses,
    List<String> storageClasses,
    SortedMap<String, String> reasons,
    @Nullable String rightsAsked,
    List<IsolationFeature> isolation,
    List<GpuComponent> gpuStack,
    Presence nodeLabelsAndTaints,
    List<String> deviceClasses)
    implements CapabilitiesBuilder.With {
  /** Key of the reason that names nodes with GPUs that are not offered or have an unknown model. */
  public static final String GPU_MODELS = "gpuModels";

  /** Key of the reason why quarantined GPUs have no taint on the cluster. */
  public static final String DEVICE_TAINTS = "deviceTaints";

  /** Beginning of the key of {@link #podGroups}. */
  public static final String POD_GROUPS = "podGroups";

  /** State of the admission fence on the cluster. */
  public enum Fence {
    ENFORCED,
    ABSENT,
    UNKNOWN
  }

  /** Presence of Fairlead's labels and taints on its nodes. */
  public enum Presence {
    UNKNOWN,
    NONE,
    PRESENT
  }

  public static final Capabilities UNOBSERVED =
      CapabilitiesBuilder.builder()
          .serverVersion("")
          .fence(Fence.UNKNOWN)
          .gpuIdentity(GpuIdentity.UNKNOWN)
          .sharing(false)
          .mig(false)
          .networkPolicy(false)
          .dra(false)
          .topologyLevels(List.of())
          .clusterDomain("cluster.local")
          .priorityClasses(false)
          .storageClasses(List.of())
          .reasons(Collections.emptySortedMap())
          .rightsAsked(null)
          .isolation(List.of())
          .gpuStack(List.of())
          .nodeLabelsAndTaints(Presence.UNKNOWN)
          .deviceClasses(List.of())
          .build();

  public Capabilities {
    topologyLevels = List.copyOf(topologyLevels);
    storageClasses = List.copyOf(storageClasses);
    reasons = Collections.unmodifiableSortedMap(new TreeMap<>(reasons));
    isolation = List.copyOf(isolation);
    gpuStack = List.copyOf(gpuStack);
    deviceClasses = deviceClasses == null ? List.of() : List.copyOf(deviceClasses);
  }

  /**
   * Returns the key of the reason why the cluster cannot start jobs with these PodGroups. A reason
   * applies only to the kind that was probed, not to the backend of a later setting.
   *
   * @param api group and version of the kind
   */
  public static String podGroups(String api) {
    return POD_GROUPS + "." + api;
  }

  /** Returns the features with these isolation states. */
  public Capabilities behind(List<IsolationFeature> found) {
    return with(reasons, found, gpuStack, nodeLabelsAndTaints);
  }

  /** Returns the features with this GPU software. */
  public Capabilities with(List<GpuComponent> found) {
    return with(reasons, isolation, found, nodeLabelsAndTaints);
  }

  /** Returns the features with one more reason. */
  public Capabilities because(String name, String why) {
    SortedMap<String, String> all = new TreeMap<>(reasons);
    all.put(name, why);
    return with(all, isolation, gpuStack, nodeLabelsAndTaints);
  }

  /** Returns the features with this presence of labels and taints. */
  public Capabilities with(Presence found) {
    return with(reasons, isolation, gpuStack, found);
  }

  private Capabilities with(
      SortedMap<String, String> why,
      List<IsolationFeature> its,
      List<GpuComponent> stack,
      Presence presence) {
    return with().reasons(why).isolation(its).gpuStack(stack).nodeLabelsAndTaints(presence).build();
  }
}
