package dev.fairlead.work.workload.kubernetes.node;

import dev.fairlead.fleet.cluster.GpuComponent;
import dev.fairlead.fleet.cluster.GpuComponent.Part;
import dev.fairlead.fleet.node.NodeReport;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetStatus;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Derives the parts of a cluster's GPU software from its DaemonSets and labels. Pure. */
final class GpuStackReport {
  private static final String OPERATOR = "gpu-operator";
  private static final String CHART = OPERATOR + "-";
  private static final String DISCOVERY = "gpu-feature-discovery";
  private static final String DRIVER = "nvidia.com/cuda.driver";
  private static final int SHOWN_OF_DIGEST = 19;

  private final Seen<DaemonSet> sets;
  private final Seen<? extends HasMetadata> policies;
  private final List<NodeReport> gpuNodes;

  private GpuStackReport(
      Seen<DaemonSet> sets, Seen<? extends HasMetadata> policies, List<NodeReport> gpuNodes) {
    this.sets = sets;
    this.policies = policies;
    this.gpuNodes = gpuNodes;
  }

  /**
   * The visible objects of one kind.
   *
   * @param unread reason why the list may be incomplete, null if complete
   */
  record Seen<T>(List<T> items, @Nullable String unread) {}

  /**
   * @param policies ClusterPolicies of the GPU Operator
   */
  static List<GpuComponent> of(
      Seen<DaemonSet> sets, Seen<? extends HasMetadata> policies, Collection<NodeReport> nodes) {
    GpuStackReport report =
        new GpuStackReport(
            sets, policies, nodes.stream().filter(node -> !node.gpus().isEmpty()).toList());
    return Stream.of(Part.values()).map(report::component).toList();
  }

  private GpuComponent component(Part part) {
    return switch (part) {
      case GPU_OPERATOR -> operator();
      case DRIVER -> driver();
      case FEATURE_DISCOVERY -> discovery();
      case CONTAINER_TOOLKIT, DEVICE_PLUGIN, DCGM_EXPORTER, NODE_PROBLEM_DETECTOR -> running(part);
    };
  }

  private GpuComponent operator() {
    List<Map<String, String>> labels =
        Stream.concat(
                policies.items().stream().map(GpuStackReport::labels),
                sets.items().stream()
                    .map(GpuStackReport::labels)
                    .filter(each -> OPERATOR.equals(each.get("app.kubernetes.io/managed-by"))))
            .toList();
    if (labels.isEmpty()) {
      String unread = policies.unread();
      return unread == null
          ? GpuComponent.absent(Part.GPU_OPERATOR, "it has no ClusterPolicy")
          : GpuComponent.unknown(Part.GPU_OPERATOR, unread);
    }
    SortedMap<String, Integer> version = new TreeMap<>();
    labels.stream()
        .flatMap(each ->
            Stream.of(each.get("app.kubernetes.io/version"), each.get("helm.sh/chart"))
                .filter(Objects::nonNull))
        .findFirst()
        .ifPresent(
            text -> version.put(text.startsWith(CHART) ? text.substring(CHART.length()) : text, 0));
    return GpuComponent.present(
        Part.GPU_OPERATOR, version, version.isEmpty() ? "its version is not shown" : null);
  }

  /**
   * Reads the driver version from node labels, or without these from the image that installs it.
   */
  private GpuComponent driver() {
    SortedMap<String, Integer> versions = new TreeMap<>();
    gpuNodes.forEach(
        node -> driver(node.labels()).ifPresent(text -> versions.merge(text, 1, Integer::sum)));
    int told = versions.values().stream().mapToInt(Integer::intValue).sum();
    if (told > 0) {
      String silent = "%d of %d GPU nodes report theirs".formatted(told, gpuNodes.size());
      return GpuComponent.present(Part.DRIVER, versions, told < gpuNodes.size() ? silent : null);
    }
    GpuComponent installed = running(Part.DRIVER);
    return installed.state() == GpuComponent.State.PRESENT
        ? installed
        : GpuComponent.unknown(
            Part.DRIVER,
            gpuNodes.isEmpty()
                ? "it has no GPU nodes"
                : "no GPU node has the labels of GPU feature discovery");
  }

  private static Optional<String> driver(SortedMap<String, String> labels) {
    String whole = labels.get(DRIVER + "-version.full");
    String major = labels.get(DRIVER + ".major");
    if (whole != null || major == null) {
      return Optional.ofNullable(whole);
    }
    return Optional.of(
        String.join(
            ".",
            Stream.of(major, labels.get(DRIVER + ".minor"), labels.get(DRIVER + ".rev"))
                .filter(Objects::nonNull)
                .toList()));
  }

  private GpuComponent discovery() {
    GpuComponent seen = running(Part.FEATURE_DISCOVERY);
    boolean labelled =
        gpuNodes.stream().anyMatch(node -> node.labels().containsKey("nvidia.com/gfd.timestamp"));
    return seen.state() == GpuComponent.State.UNKNOWN && labelled
        ? GpuComponent.present(
            Part.FEATURE_DISCOVERY, new TreeMap<>(), "seen by its labels alone: " + seen.reason())
        : seen;
  }

  private GpuComponent running(Part part) {
    SortedMap<String, Integer> versions = new TreeMap<>();
    int ready = 0;
    int wanted = 0;
    for (DaemonSet set : sets.items()) {
      String image = image(set, part);
      if (image != null) {
        DaemonSetStatus status = set.getStatus();
        int runs = status == null ? 0 : number(status.getNumberReady());
        versions.merge(version(image), runs, Integer::sum);
        ready += runs;
        wanted += status == null ? 0 : number(status.getDesiredNumberScheduled());
      }
    }
    if (!versions.isEmpty()) {
      return GpuComponent.present(
          part, versions, ready < wanted ? ready + " of " + wanted + " are ready" : null);
    }
    String unread = sets.unread();
    return unread == null
        ? GpuComponent.absent(
            part,
            part == Part.CONTAINER_TOOLKIT
                ? "it has no DaemonSet there, but may be part of the machine image"
                : "no DaemonSet was found")
        : GpuComponent.unknown(part, unread);
  }

  private static @Nullable String image(DaemonSet set, Part part) {
    return set.getSpec().getTemplate().getSpec().getContainers().stream()
        .filter(container -> part(set, container) == part)
        .map(Container::getImage)
        .findFirst()
        .orElse(null);
  }

  /** Device plugin and feature discovery may have one image. */
  private static @Nullable Part part(DaemonSet set, Container container) {
    String image = container.getImage() == null ? "" : container.getImage();
    return switch (name(image)) {
      case DISCOVERY -> Part.FEATURE_DISCOVERY;
      case "k8s-device-plugin", "nvidia-gpu-device-plugin" ->
          (set.getMetadata().getName() + container.getName()).contains(DISCOVERY)
              ? Part.FEATURE_DISCOVERY
              : Part.DEVICE_PLUGIN;
      case "container-toolkit" -> Part.CONTAINER_TOOLKIT;
      case "dcgm-exporter" -> Part.DCGM_EXPORTER;
      case "node-problem-detector" -> Part.NODE_PROBLEM_DETECTOR;
      case "driver" -> image.contains("nvidia") ? Part.DRIVER : null;
      default -> null;
    };
  }

  /** Returns {@code dcgm-exporter} for {@code nvcr.io/nvidia/k8s/dcgm-exporter:4.2.3@sha256:0c}. */
  private static String name(String image) {
    String last = image.split("@", 2)[0];
    return last.substring(last.lastIndexOf('/') + 1).split(":", 2)[0];
  }

  private static String version(String image) {
    String[] parts = image.split("@", 2);
    String last = parts[0].substring(parts[0].lastIndexOf('/') + 1);
    int tag = last.indexOf(':');
    if (tag >= 0) {
      return last.substring(tag + 1);
    }
    return parts.length > 1
        ? parts[1].substring(0, Math.min(SHOWN_OF_DIGEST, parts[1].length()))
        : "latest";
  }

  private static Map<String, String> labels(HasMetadata object) {
    Map<String, String> labels = object.getMetadata().getLabels();
    return labels == null ? Map.of() : labels;
  }

  private static int number(@Nullable Integer value) {
    return value == null ? 0 : value;
  }
}
