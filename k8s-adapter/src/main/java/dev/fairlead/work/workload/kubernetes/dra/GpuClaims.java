package dev.fairlead.work.workload.kubernetes.dra;

import dev.fairlead.fleet.cluster.GpuOffer;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.gpu.DeviceUuid;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.MigGeometry;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequest;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** ResourceClaims that select exactly the GPUs that Fairlead chose for a member. */
public final class GpuClaims {
  /** Name of the claim inside its pod, and of the request for whole GPUs inside the claim. */
  static final String NAME = "gpus";

  private static final Pattern QUOTED = Pattern.compile("\"([^\"]+)\"");

  private GpuClaims() {}

  /**
   * Returns whether the status of a container shows the devices of the claim under this name
   * (https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation).
   */
  public static boolean named(String resource) {
    return resource.equals("claim:" + NAME) || resource.startsWith("claim:" + NAME + "/");
  }

  /** Returns whether the pods of the role claim their GPUs on nodes with claims. */
  public static boolean claimed(PodDevices devices, RoleSpec role) {
    return devices.claims() && role.gpu().kind() == GpuRequest.Kind.WHOLE
        || devices.claimsSlices() && role.gpu().kind() == GpuRequest.Kind.MIG;
  }

  /** Returns whether the member claims its GPUs: slots of nodes without claims have no UUIDs. */
  public static boolean claimed(PodDevices devices, RoleSpec role, Member member) {
    return claimed(devices, role)
        && (devices.nodes().isEmpty()
            || member.gpus().stream().anyMatch(gpu -> DeviceUuid.matches(gpu.serial())));
  }

  /** Returns whether a pod of the job claims its GPUs on nodes with claims. */
  public static boolean claimed(PodDevices devices, JobSpec spec) {
    return spec.roles().stream().anyMatch(role -> claimed(devices, role));
  }

  /** Returns the spec of a pod with the GPUs of its claim in its first container. */
  public static PodSpec in(PodSpec spec, String claim) {
    return new PodSpecBuilder(spec)
        .addNewResourceClaim()
        .withName(NAME)
        .withResourceClaimName(claim)
        .endResourceClaim()
        .editFirstContainer()
        .editResources()
        .addNewClaim()
        .withName(NAME)
        .endClaim()
        .endResources()
        .endContainer()
        .build();
  }

  /**
   * Returns the claim of a member. It tolerates the taint of a quarantine, because Fairlead decides
   * which of its jobs, such as health tests, use a quarantined GPU.
   *
   * @param meta with the name of its pod
   */
  public static ResourceClaim of(
      ObjectMeta meta, RoleSpec role, Member member, PodDevices devices) {
    return new ResourceClaimBuilder()
        .withMetadata(meta)
        .withNewSpec()
        .withNewDevices()
        .withRequests(requests(role, member, devices))
        .endDevices()
        .endSpec()
        .build();
  }

  private static List<DeviceRequest> requests(RoleSpec role, Member member, PodDevices devices) {
    String driver = devices.requiredDriver();
    String profile = role.gpu().migProfile();
    if (profile == null) {
      List<String> uuids = member.gpus().stream().map(GpuShare::serial).toList();
      return List.of(
          request(NAME, devices.requiredClass(), uuids.size(), oneOf(driver, "uuid", uuids)));
    }
    int all = member.gpus().stream().mapToInt(GpuClaims::memorySlices).sum();
    int each = Math.max(1, all / role.gpu().count());
    String migClass = Objects.requireNonNull(devices.migDeviceClass(), "no claims of slices");
    List<DeviceRequest> requests = new ArrayList<>();
    for (GpuShare gpu : member.gpus()) {
      String selector =
          oneOf(driver, "parentUUID", List.of(gpu.serial()))
              + " && "
              + oneOf(driver, "profile", List.of(profile));
      String name = NAME + "-" + requests.size();
      requests.add(request(name, migClass, memorySlices(gpu) / each, selector));
    }
    return requests;
  }

  private static int memorySlices(GpuShare gpu) {
    return MigGeometry.memorySlices(gpu.slices()).size();
  }

  private static DeviceRequest request(
      String name, String deviceClass, long count, String selector) {
    return new DeviceRequestBuilder()
        .withName(name)
        .withNewExactly()
        .withDeviceClassName(deviceClass)
        .withAllocationMode("ExactCount")
        .withCount(count)
        .addNewSelector()
        .withNewCel(selector)
        .endSelector()
        .addNewToleration()
        .withKey(NodeLabelsAndTaints.QUARANTINE)
        .withOperator("Exists")
        .withEffect(NodeLabelsAndTaints.EFFECT)
        .endToleration()
        .endExactly()
        .build();
  }

  /**
   * A missing attribute would be an error of the expression, which ends the allocation of the pod.
   */
  private static String oneOf(String driver, String attribute, List<String> values) {
    String quoted =
        values.stream().map(value -> "\"" + value + "\"").collect(Collectors.joining(", "));
    return "device.driver == \"%1$s\" && has(device.attributes[\"%1$s\"].%2$s) && device.attributes[\"%1$s\"].%2$s in [%3$s]"
        .formatted(driver, attribute, quoted);
  }

  /** Returns the UUIDs in the selectors of a claim, which another program may have created. */
  static List<String> selected(ResourceClaim claim) {
    return Stream.ofNullable(claim.getSpec())
        .flatMap(spec -> Stream.ofNullable(spec.getDevices()))
        .flatMap(devices -> devices.getRequests().stream())
        .flatMap(request -> Stream.ofNullable(request.getExactly()))
        .flatMap(exactly -> exactly.getSelectors().stream())
        .flatMap(selector -> Stream.ofNullable(selector.getCel()))
        .flatMap(cel -> QUOTED.matcher(cel.getExpression()).results())
        .map(quoted -> quoted.group(1))
        .filter(DeviceUuid::matches)
        .toList();
  }

  /**
   * Returns why the node does not offer the planned GPUs in the form of its cluster, null if it
   * does. GPUs that were planned by UUID before the form changed are not the GPUs that a device
   * plugin then chooses.
   */
  public static @Nullable String trouble(
      PodDevices devices, RoleSpec role, Member member, NodeReport node) {
    Stream<String> serials = member.gpus().stream().map(GpuShare::serial);
    if (!devices.claimsOn(node.labels())) {
      return serials.anyMatch(DeviceUuid::matches)
          ? "has a device plugin that chooses the GPUs"
          : null;
    }
    if (!claimed(devices, role)) {
      return null;
    }
    GpuOffer offer = GpuOffer.of(node.labels(), node.gpuModel(), node.gpuMemoryMiB());
    if (!Objects.equals(offer.profile(), role.gpu().migProfile())) {
      return "now offers "
          + (offer.profile() == null ? "no MIG slices" : "MIG slices " + offer.profile());
    }
    return serials
        .filter(uuid -> node.gpus().stream().noneMatch(gpu -> usable(gpu, uuid)))
        .findFirst()
        .map(lost -> "has no usable " + lost + " in its ResourceSlices")
        .orElse(null);
  }

  private static boolean usable(Gpu gpu, String uuid) {
    return gpu.serial().equals(uuid) && gpu.usable();
  }
}
