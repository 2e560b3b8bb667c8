package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.GpuOffer;
import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads the form of requests for GPUs on a cluster. */
final class DevicesReader {
  private DevicesReader() {}

  static PodDevices read(Fields cluster, PlacementBackend backend) {
    PodDevices devices =
        cluster
            .get("devices")
            .flatMap(Value::fields)
            .map(DevicesReader::devices)
            .orElse(PodDevices.EXTENDED_RESOURCE);
    if (devices.claims() && backend.choosesNodes()) {
      cluster.refuse(
          "devices",
          ProblemCode.CONFLICTING_FIELDS,
          "A claim has the UUIDs of GPUs of one node, so Fairlead has to choose the node. Set"
              + " backend.kind to FAIRLEAD, or devices.kind to EXTENDED_RESOURCE.",
          null);
    }
    return devices;
  }

  private static PodDevices devices(Fields fields) {
    Optional<PodDevices.Kind> kind =
        fields
            .required("kind", "EXTENDED_RESOURCE or DRA.")
            .flatMap(v -> v.choice(PodDevices.Kind.class));
    Optional<String> deviceClass = fields.get("deviceClass").flatMap(Names::subdomain);
    Optional<String> driver = fields.get("driver").flatMap(Names::subdomain);
    Optional<String> migClass = fields.get("migDeviceClass").flatMap(Names::subdomain);
    boolean claims = kind.filter(PodDevices.Kind.DRA::equals).isPresent();
    if (claims && !fields.has("deviceClass")) {
      fields.required("deviceClass", "the DeviceClass of whole GPUs, such as gpu.nvidia.com.");
    }
    SortedMap<String, String> nodes = PoolReader.labels(fields, "nodes");
    nodes.keySet().stream()
        .filter(DevicesReader::unread)
        .findFirst()
        .ifPresent(label ->
            fields.refuse(
                "nodes",
                ProblemCode.INVALID_FIELD,
                "Placement does not use the label %s of nodes, so no node would have claims. Use another label of these nodes."
                    .formatted(label),
                null));
    for (String field : new String[] {"deviceClass", "driver", "migDeviceClass", "nodes"}) {
      if (kind.isPresent() && !claims && fields.has(field)) {
        fields.refuse(
            field,
            ProblemCode.CONFLICTING_FIELDS,
            field + " requires kind DRA. Remove " + field + ", or set it to null in a patch.",
            null);
      }
    }
    fields.done();
    return claims && deviceClass.isPresent()
        ? PodDevices.claimed(deviceClass.get(), driver.orElse(deviceClass.get()))
            .slicing(migClass.orElse(null))
            .on(nodes)
        : PodDevices.EXTENDED_RESOURCE;
  }

  /** Whether reports of nodes lack the label. */
  private static boolean unread(String label) {
    return label.startsWith(NodeLabelsAndTaints.FEATURES)
        || label.equals(NodeLabelsAndTaints.POOL)
        || label.equals(GpuOffer.LABEL);
  }

  /** Formats the setting as in a request. */
  static SortedMap<String, Object> request(PodDevices now) {
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
