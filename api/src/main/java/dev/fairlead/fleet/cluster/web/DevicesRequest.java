package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.GpuOffer;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.problem.ProblemCode;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/**
 * The form of requests for GPUs.
 *
 * @param kind EXTENDED_RESOURCE, or DRA for ResourceClaims of the GPUs that Fairlead chose
 * @param deviceClass DeviceClass of the claims, such as gpu.nvidia.com. Only for DRA
 * @param driver driver that publishes the GPUs in ResourceSlices. The name of the DeviceClass when
 *     absent
 * @param migDeviceClass DeviceClass of claims for MIG slices, such as mig.nvidia.com. Nodes offer
 *     no MIG slices of the driver when absent. Only for DRA
 * @param nodes labels of the nodes with claims, for example of one pool. The device plugins of
 *     other nodes choose the GPUs. All nodes when absent. Only for DRA
 */
@Schema(name = "DevicesRequest")
record DevicesRequest(
    PodDevices.Kind kind,
    @Size(min = 1, max = Names.LONGEST_SUBDOMAIN)
        @Pattern(regexp = Names.SUBDOMAIN_PATTERN, message = Names.SUBDOMAIN_RULE)
        @Nullable String deviceClass,
    @Size(min = 1, max = Names.LONGEST_SUBDOMAIN)
        @Pattern(regexp = Names.SUBDOMAIN_PATTERN, message = Names.SUBDOMAIN_RULE)
        @Nullable String driver,
    @Size(min = 1, max = Names.LONGEST_SUBDOMAIN)
        @Pattern(regexp = Names.SUBDOMAIN_PATTERN, message = Names.SUBDOMAIN_RULE)
        @Nullable String migDeviceClass,
    @JsonDeserialize(using = PoolRequests.NodeLabels.class)
        @Nullable SortedMap<String, String> nodes)
    implements RequestRules {
  @Override
  public void check(Fields given) {
    PodDevices.@Nullable Kind named = kind;
    if (named == PodDevices.Kind.DRA) {
      given.required("deviceClass", "the DeviceClass of whole GPUs, such as gpu.nvidia.com.");
    }
    labels().keySet().stream()
        .filter(DevicesRequest::unread)
        .findFirst()
        .ifPresent(label ->
            given.refuse(
                "nodes",
                ProblemCode.INVALID_FIELD,
                "Placement does not use the label %s of nodes, so no node would have claims. Use another label of these nodes."
                    .formatted(label),
                null));
    for (String field : List.of("deviceClass", "driver", "migDeviceClass", "nodes")) {
      if (named == PodDevices.Kind.EXTENDED_RESOURCE && given.has(field)) {
        given.refuse(
            field,
            ProblemCode.CONFLICTING_FIELDS,
            field + " requires kind DRA. Remove " + field + ", or set it to null in a patch.",
            null);
      }
    }
  }

  private SortedMap<String, String> labels() {
    return nodes == null ? Collections.emptySortedMap() : nodes;
  }

  PodDevices devices() {
    return kind == PodDevices.Kind.DRA && deviceClass != null
        ? PodDevices.claimed(deviceClass, Objects.requireNonNullElse(driver, deviceClass))
            .slicing(migDeviceClass)
            .on(labels())
        : PodDevices.EXTENDED_RESOURCE;
  }

  /** Returns whether reports of nodes lack the label. */
  private static boolean unread(String label) {
    return label.startsWith(NodeLabelsAndTaints.FEATURES)
        || label.equals(NodeLabelsAndTaints.POOL)
        || label.equals(GpuOffer.LABEL);
  }

  /** In the form of a request. */
  static SortedMap<String, Object> of(PodDevices now) {
    SortedMap<String, Object> devices = new TreeMap<>();
    devices.put("kind", now.kind());
    if (now.claims()) {
      devices.put("deviceClass", now.requiredClass());
      devices.put("driver", now.requiredDriver());
      if (now.migDeviceClass() != null) {
        devices.put("migDeviceClass", now.migDeviceClass());
      }
      if (!now.nodes().isEmpty()) {
        devices.put("nodes", now.nodes());
      }
    }
    return devices;
  }
}
