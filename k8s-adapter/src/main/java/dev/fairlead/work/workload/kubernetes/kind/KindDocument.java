package dev.fairlead.work.workload.kubernetes.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.front.FrontRequest;
import dev.fairlead.kernel.resources.GpuCatalogue;
import dev.fairlead.kernel.resources.GpuProduct;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.workload.kubernetes.front.JobDocument;
import dev.fairlead.work.workload.kubernetes.node.NodeAmounts;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Translates an object to the job spec that reserves its quota and its nodes: one role for each pod
 * template. The object's controller manages the pods themselves, so the job spec has only their
 * images and requests.
 */
public final class KindDocument {
  private static final String PRODUCT = "nvidia.com/gpu.product";
  private static final String AFFINITY = "/affinity/nodeAffinity";
  private static final String SELECTS = "Fairlead selects the nodes. Use nodeSelector";
  private static final long MILLI = 1000;

  private KindDocument() {}

  /**
   * @param cluster name of the object's cluster
   * @param devices form of its requests for whole GPUs
   */
  public static FrontRequest of(Kind kind, KindObject object, String cluster, PodDevices devices) {
    try {
      if (!object.suspends()) {
        throw new KindObject.Unreadable(
            kind.suspend().text(),
            "it is not true, so the controller of the cluster runs the object. Create it with true");
      }
      ObjectNode document = JsonNodeFactory.instance.objectNode();
      put(document, "queue", object.label(JobDocument.QUEUE));
      put(document, "priorityClass", object.label(JobDocument.PRIORITY_CLASS));
      ObjectNode placement = document.putObject("placement");
      placement.putArray("clusters").add(cluster);
      SortedMap<String, String> selector = null;
      for (KindObject.Role role : object.roles()) {
        SortedMap<String, String> labels =
            role(role, document.withArray("roles").addObject(), devices);
        if (selector != null && !selector.equals(labels)) {
          throw new KindObject.Unreadable(
              role.at() + "/spec/nodeSelector",
              "all templates need the same labels except " + PRODUCT);
        }
        selector = labels;
      }
      if (selector != null && !selector.isEmpty()) {
        ObjectNode labels = placement.putObject("nodeLabels");
        selector.forEach(labels::put);
      }
      return new FrontRequest.Document(document.toString());
    } catch (KindObject.Unreadable unreadable) {
      return new FrontRequest.Inexpressible(
          unreadable.path(), String.valueOf(unreadable.getMessage()));
    }
  }

  /**
   * Checks pods that are about to start: the templates of a suspended object may have changed since
   * its job was submitted.
   *
   * @param reserved resources of each pod by role
   * @param devices form of the cluster's requests for whole GPUs
   * @throws KindObject.Unreadable if they request more, or select nodes
   */
  public static void check(
      KindObject object, Map<String, ResourceVector> reserved, PodDevices devices)
      throws KindObject.Unreadable {
    for (KindObject.Role role : object.roles()) {
      JsonNode spec = role.template().path("spec");
      if (spec.has("nodeName")) {
        throw new KindObject.Unreadable(role.at() + "/spec/nodeName", "Fairlead selects the nodes");
      }
      if (!KindObject.ofFairlead(spec.at(AFFINITY))) {
        throw new KindObject.Unreadable(role.at() + "/spec" + AFFINITY, SELECTS);
      }
      ResourceVector room = reserved.get(role.name());
      if (room == null || !asked(role, spec, devices).fitsIn(room)) {
        throw new KindObject.Unreadable(
            role.at() + "/spec/containers", "they request more resources than at adoption");
      }
    }
  }

  private static void put(ObjectNode document, String name, String value) {
    if (!value.isEmpty()) {
      document.put(name, value);
    }
  }

  /** Fills in the role. Returns the labels that its nodes need. */
  private static SortedMap<String, String> role(
      KindObject.Role role, ObjectNode into, PodDevices devices) throws KindObject.Unreadable {
    JsonNode spec = role.template().path("spec");
    if (spec.path("affinity").has("nodeAffinity") || spec.has("nodeName")) {
      throw new KindObject.Unreadable(
          role.at() + "/spec" + (spec.has("nodeName") ? "/nodeName" : AFFINITY), SELECTS);
    }
    String image = spec.at("/containers/0/image").asText();
    if (image.isEmpty()) {
      throw new KindObject.Unreadable(role.at() + "/spec/containers/0/image", "it is missing");
    }
    ResourceVector each = asked(role, spec, devices);
    into.put("name", role.name()).put("count", role.count()).put("image", image);
    if (each.cpuMilli() > 0) {
      into.put("cpu", each.cpuMilli() + "m");
    }
    if (each.memoryMiB() > 0) {
      into.put("memory", each.memoryMiB() + "Mi");
    }
    SortedMap<String, String> labels = selector(spec);
    gpu(role, each, labels.remove(PRODUCT), into);
    return labels;
  }

  private static ResourceVector asked(KindObject.Role role, JsonNode spec, PodDevices devices)
      throws KindObject.Unreadable {
    ResourceVector each;
    try {
      PodSpec read = Serialization.unmarshal(spec.toString(), PodSpec.class);
      each = NodeAmounts.asked(new PodBuilder().withSpec(read).build());
    } catch (RuntimeException malformed) {
      throw new KindObject.Unreadable(role.at() + "/spec", "it is not a pod spec");
    }
    if (!each.extended().isEmpty()) {
      throw new KindObject.Unreadable(
          role.at() + "/spec/containers",
          "Fairlead reserves no " + each.extended().firstKey() + " for an object in place");
    }
    if (!devices.mayClaim(selector(spec))) {
      return each;
    }
    if (each.gpuMilli() > 0) {
      throw new KindObject.Unreadable(role.at() + "/spec/containers", claimed("nodes", devices));
    }
    if (!spec.path("resourceClaims").isEmpty()) {
      throw new KindObject.Unreadable(
          role.at() + "/spec/resourceClaims",
          "Fairlead reserves no devices for them. " + claimed("Nodes", devices));
    }
    return each;
  }

  private static String claimed(String nodes, PodDevices devices) {
    String labels =
        devices.nodes().entrySet().stream()
            .map(label -> label.getKey() + "=" + label.getValue())
            .collect(Collectors.joining(","));
    return nodes
        + " of this cluster"
        + (labels.isEmpty() ? "" : " with " + labels)
        + " have no nvidia.com/gpu, because Fairlead allocates GPUs by ResourceClaims there."
        + " Submit a Job with spec.managedBy, a Workload or a job file, or use another cluster"
        + (labels.isEmpty()
            ? ""
            : " or a nodeSelector with another value of " + devices.nodes().firstKey());
  }

  private static SortedMap<String, String> selector(JsonNode spec) {
    SortedMap<String, String> labels = new TreeMap<>();
    spec.path("nodeSelector")
        .properties()
        .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
    labels.remove(KindObject.NODES);
    return labels;
  }

  private static void gpu(
      KindObject.Role role, ResourceVector each, @Nullable String label, ObjectNode into)
      throws KindObject.Unreadable {
    long count = each.gpuMilli() / MILLI;
    if (count == 0) {
      if (label != null) {
        throw new KindObject.Unreadable(
            role.at() + "/spec/nodeSelector", "the pods request no nvidia.com/gpu");
      }
      return;
    }
    if (label == null) {
      into.put("gpu", count);
      return;
    }
    GpuProduct product = GpuProduct.of(label);
    if (!product.whole()) {
      throw new KindObject.Unreadable(
          role.at() + "/spec/nodeSelector",
          "nodes with the product " + label + " offer no whole GPUs");
    }
    into.putObject("gpu").put("model", GpuCatalogue.asked(product.name())).put("count", count);
  }
}
