package dev.fairlead.work.workload.kubernetes.pod;

import dev.fairlead.kernel.resources.MigResource;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.kubernetes.client.GpuResources;
import dev.fairlead.work.workload.kubernetes.dra.GpuClaims;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ResourceHealth;
import io.fabric8.kubernetes.api.model.ResourceStatus;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the GPUs of a container, and their health, from {@code allocatedResourcesStatus} of its
 * status
 * (https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins). The
 * kubelet retains it in the status of an ended container. A cluster without that field reports no
 * devices.
 */
final class AllocatedDevices {
  private static final String UNHEALTHY = "Unhealthy";

  /** A device's id comes from a plugin on the node, so only a short plain one is included. */
  private static final String PLAIN = "[A-Za-z0-9._:/-]{1,64}";

  private AllocatedDevices() {}

  /** Returns the GPUs of the container, empty if one of them is not a physical GPU. */
  static List<HeldDevice> held(@Nullable ContainerStatus container) {
    return HeldDevice.ofPlugin(
        devices(container, AllocatedDevices::gpu)
            .map(device -> String.valueOf(device.getResourceID()))
            .toList());
  }

  /**
   * Returns {@link ObservedMember#UNHEALTHY_GPU} with the device, null if all GPUs of the container
   * and of its ResourceClaim are healthy.
   */
  static @Nullable String unhealthy(@Nullable ContainerStatus container) {
    return devices(container, resource -> gpu(resource) || GpuClaims.named(resource))
        .filter(device -> UNHEALTHY.equals(device.getHealth()))
        .map(AllocatedDevices::named)
        .findFirst()
        .orElse(null);
  }

  private static Stream<ResourceHealth> devices(
      @Nullable ContainerStatus container, Predicate<String> resources) {
    List<ResourceStatus> allocated =
        container == null || container.getAllocatedResourcesStatus() == null
            ? List.of()
            : container.getAllocatedResourcesStatus();
    return allocated.stream()
        .filter(r -> r.getName() != null && resources.test(r.getName()) && r.getResources() != null)
        .flatMap(r -> r.getResources().stream());
  }

  private static boolean gpu(String resource) {
    return resource.equals(GpuResources.WHOLE)
        || resource.equals(GpuResources.SHARED)
        || MigResource.profile(resource) != null;
  }

  private static String named(ResourceHealth device) {
    String id = device.getResourceID();
    return id == null || !id.matches(PLAIN)
        ? ObservedMember.UNHEALTHY_GPU
        : ObservedMember.UNHEALTHY_GPU + " " + id;
  }
}
