package dev.fairlead.fleet.cluster.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.GpuComponent;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.doctor.Diagnosis;
import dev.fairlead.kernel.doctor.DoctorCheck;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/**
 * Checks whether the GPU software of each cluster with GPUs is complete and its driver versions are
 * equal.
 */
@Component
public class GpuStackDiagnosis implements Diagnosis {
  /** Parts that may be built into the machines, or not be needed. */
  private static final Set<GpuComponent.Part> MAY_LACK =
      Set.of(GpuComponent.Part.GPU_OPERATOR, GpuComponent.Part.CONTAINER_TOOLKIT);

  private final InventoryStore inventory;

  public GpuStackDiagnosis(InventoryStore inventory) {
    this.inventory = inventory;
  }

  @Override
  public String area() {
    return "gpu-stack";
  }

  @Override
  public List<DoctorCheck> look() {
    return inventory.clusters().stream()
        .filter(cluster -> !cluster.capabilities().gpuStack().isEmpty())
        .filter(cluster -> inventory.size(cluster.id()).gpuNodes() > 0)
        .map(this::check)
        .toList();
  }

  private DoctorCheck check(Cluster cluster) {
    List<GpuComponent> stack = cluster.capabilities().gpuStack();
    List<GpuComponent> driver =
        stack.stream().filter(each -> each.part() == GpuComponent.Part.DRIVER).toList();
    String drivers = driver.stream().map(GpuComponent::told).collect(Collectors.joining());
    if (driver.stream().anyMatch(each -> each.versions().size() > 1)) {
      return DoctorCheck.warning(
          area(),
          cluster.name(),
          "its nodes have different drivers: " + drivers,
          "Upgrade the others (fairlead node list names them by label), or restrict multi-node jobs to one driver by nodeLabels.");
    }
    String missing =
        told(
            stack,
            each -> each.state() == GpuComponent.State.ABSENT && !MAY_LACK.contains(each.part()));
    if (!missing.isEmpty()) {
      return DoctorCheck.warning(
          area(),
          cluster.name(),
          "it lacks " + missing,
          "Install them, for example with the GPU Operator: without them GPU faults are"
              + " not detected (docs/how-to/health.md#the-gpu-stack).");
    }
    String unknown = told(stack, each -> each.state() == GpuComponent.State.UNKNOWN);
    String known = drivers.isEmpty() ? "whole" : "whole, driver " + drivers;
    return DoctorCheck.ok(
        area(), cluster.name(), unknown.isEmpty() ? known : "not known: " + unknown);
  }

  private static String told(List<GpuComponent> stack, Predicate<GpuComponent> which) {
    return String.join(
        "; ",
        stack.stream().filter(which).map(each -> each.part() + ", " + each.reason()).toList());
  }
}
