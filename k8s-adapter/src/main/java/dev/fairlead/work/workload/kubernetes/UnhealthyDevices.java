package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.kernel.resources.MigResource;
import dev.fairlead.work.workload.ObservedMember;
import dev.fairlead.work.workload.kubernetes.node.GpuResources;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ResourceHealth;
import io.fabric8.kubernetes.api.model.ResourceStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds devices that became unhealthy during a container's run, from {@code
 * allocatedResourcesStatus} of its status
 * (https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins). The
 * kubelet retains it in the status of an ended container. A cluster without that field shows none.
 */
final class UnhealthyDevices {
  private static final String UNHEALTHY = "Unhealthy";

  /** A device's id comes from a plugin on the node, so only a short plain one is included. */
  private static final String PLAIN = "[A-Za-z0-9._:/-]{1,64}";

  private UnhealthyDevices() {}

  /**
   * Returns {@link ObservedMember#UNHEALTHY_GPU} with the device, null if all its GPUs are healthy.
   */
  static @Nullable String reason(@Nullable ContainerStatus container) {
    List<ResourceStatus> allocated =
        container == null || container.getAllocatedResourcesStatus() == null
            ? List.of()
            : container.getAllocatedResourcesStatus();
    return allocated.stream()
        .filter(r -> r.getName() != null && gpu(r.getName()) && r.getResources() != null)
        .flatMap(r -> r.getResources().stream())
        .filter(device -> UNHEALTHY.equals(device.getHealth()))
        .map(UnhealthyDevices::named)
        .findFirst()
        .orElse(null);
  }

  private static boolean gpu(String resource) {
    return resource.equals(GpuResources.WHOLE) || MigResource.profile(resource) != null;
  }

  private static String named(ResourceHealth device) {
    String id = device.getResourceID();
    return id == null || !id.matches(PLAIN)
        ? ObservedMember.UNHEALTHY_GPU
        : ObservedMember.UNHEALTHY_GPU + " " + id;
  }
}
