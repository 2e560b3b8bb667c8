package dev.fairlead.work.workload.kubernetes.node;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.CapabilitiesBuilder;
import dev.fairlead.fleet.cluster.GpuComponent;
import dev.fairlead.fleet.cluster.GpuOffer;
import dev.fairlead.fleet.cluster.IsolationFeature;
import dev.fairlead.fleet.cluster.SharedGpus;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.gpu.DeviceUuid;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.kernel.resources.MigResource;
import dev.fairlead.work.workload.kubernetes.namespace.ClusterOfferings;
import dev.fairlead.work.workload.kubernetes.namespace.FenceProbe;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Combines the known capabilities of a cluster, with the reason for each missing capability. */
public final class CapabilityReport {
  /** Without numbers, because each change of a reason writes the row of the cluster. */
  private static final String PARTLY =
      "pods claim their GPUs on a part of the nodes with GPUs. On the others, ";

  private CapabilityReport() {}

  /**
   * @param devicesShown whether the status of a pod has named its GPUs
   */
  public static Capabilities of(
      String version,
      String clusterDomain,
      TopologyLevels levels,
      Collection<NodeReport> nodes,
      boolean devicesShown,
      FenceProbe.Finding fence,
      ClusterOfferings.Findings survey,
      List<IsolationFeature> isolation,
      List<GpuComponent> gpuStack) {
    SortedMap<String, String> reasons = new TreeMap<>(survey.reasons());
    if (!fence.enforced()) {
      reasons.put("fence", fence.reason());
    }
    List<NodeReport> withGpus = nodes.stream().filter(node -> !node.gpus().isEmpty()).toList();
    boolean claims = survey.claims() && withGpus.stream().allMatch(CapabilityReport::offersDevices);
    if (!claims) {
      String where =
          survey.claims() && withGpus.stream().anyMatch(CapabilityReport::offersDevices)
              ? PARTLY
              : "";
      reasons.put(
          "gpuIdentity",
          where
              + "the device plugin of the node chooses the device"
              + (devicesShown
                  ? ", and pods show which"
                  : ", and no pod has shown which (feature gate ResourceHealthStatus)"));
    }
    boolean sharing = nodes.stream().anyMatch(n -> SharedGpus.parts(n.labels()) > 0);
    if (!sharing) {
      reasons.put("sharing", "no node provides parts of its GPUs");
    }
    boolean mig = nodes.stream().anyMatch(CapabilityReport::offersSlices);
    if (!mig) {
      reasons.put("mig", "no node offers MIG slices");
    }
    GpuOffer.trouble(nodes).ifPresent(why -> reasons.put(Capabilities.GPU_MODELS, why));
    return CapabilitiesBuilder.builder()
        .serverVersion(version)
        .fence(fence.fence())
        .gpuIdentity(identity(claims, devicesShown))
        .sharing(sharing)
        .mig(mig)
        .networkPolicy(survey.networkPolicy())
        .dra(!survey.deviceClasses().isEmpty())
        .topologyLevels(levels.present(nodes.stream().map(NodeReport::topology).toList()))
        .clusterDomain(clusterDomain)
        .priorityClasses(survey.priorityClasses())
        .storageClasses(survey.storageClasses())
        .reasons(reasons)
        .rightsAsked(survey.rightsAsked())
        .isolation(isolation)
        .gpuStack(gpuStack)
        .nodeLabelsAndTaints(presence(nodes))
        .deviceClasses(survey.deviceClasses())
        .build();
  }

  /** Returns whether the GPU slots of the node are devices, which pods claim. */
  private static boolean offersDevices(NodeReport node) {
    return node.gpus().stream().allMatch(gpu -> DeviceUuid.matches(gpu.serial()));
  }

  private static GpuIdentity identity(boolean claims, boolean shown) {
    if (claims) {
      return GpuIdentity.ENFORCED;
    }
    return shown ? GpuIdentity.OBSERVED : GpuIdentity.UNKNOWN;
  }

  private static Capabilities.Presence presence(Collection<NodeReport> nodes) {
    if (nodes.isEmpty()) {
      return Capabilities.Presence.UNKNOWN;
    }
    return nodes.stream().allMatch(n -> n.labelsAndTaints().none())
        ? Capabilities.Presence.NONE
        : Capabilities.Presence.PRESENT;
  }

  private static boolean offersSlices(NodeReport node) {
    return GpuOffer.of(node.labels(), node.gpuModel(), 0).kind() == GpuOffer.Kind.SLICES
        || node.allocatable().extended().keySet().stream()
            .anyMatch(name -> MigResource.profile(name) != null);
  }
}
