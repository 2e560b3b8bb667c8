package dev.fairlead.work.workload.kubernetes.dra;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.resource.v1.AllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The devices that a ResourceClaim was allocated.
 *
 * @param name namespace and name
 * @param member with the claim for its pod, null for a claim of others
 * @param selected UUIDs of the planned GPUs, empty for a foreign claim
 */
public record SeenClaim(
    String name, @Nullable Owner member, List<String> selected, List<DeviceRef> devices) {
  /** A member of an attempt of this installation. */
  public record Owner(AttemptId attempt, MemberKey key) {}

  public SeenClaim {
    selected = List.copyOf(selected);
    devices = List.copyOf(devices);
  }

  /**
   * Reads a claim.
   *
   * @param driver driver of the devices. Devices of other drivers are omitted
   * @param installation label of this installation
   */
  public static SeenClaim of(ResourceClaim claim, String driver, String installation) {
    AllocationResult allocation =
        claim.getStatus() == null ? null : claim.getStatus().getAllocation();
    List<DeviceRef> devices =
        allocation == null
                || allocation.getDevices() == null
                || allocation.getDevices().getResults() == null
            ? List.of()
            : allocation.getDevices().getResults().stream()
                .filter(result -> driver.equals(result.getDriver()))
                .filter(result -> !Boolean.TRUE.equals(result.getAdminAccess())) // only monitors
                .map(result -> new DeviceRef(result.getPool(), result.getDevice()))
                .toList();
    String namespace = claim.getMetadata().getNamespace();
    Owner owner = owner(claim, installation);
    return new SeenClaim(
        namespace + "/" + claim.getMetadata().getName(),
        owner,
        owner == null ? List.of() : GpuClaims.selected(claim),
        devices);
  }

  /**
   * Labels can be forged with the right to create claims, except in Fairlead's namespaces. The name
   * must be that of the member, so that a second claim cannot replace it.
   */
  private static @Nullable Owner owner(ResourceClaim claim, String installation) {
    var labels = claim.getMetadata().getLabels();
    boolean ours =
        labels != null
            && installation.equals(labels.get(ObjectLabels.INSTALLATION))
            && claim.getMetadata().getNamespace().startsWith(Namespaces.PREFIX);
    return !ours
        ? null
        : ObjectLabels.attempt(claim)
            .flatMap(
                attempt -> ObjectLabels.member(claim).map(member -> new Owner(attempt, member)))
            .filter(owner ->
                ObjectNames.pod(owner.attempt(), owner.key()).equals(claim.getMetadata().getName()))
            .orElse(null);
  }
}
