package dev.fairlead.fleet.cluster;

import dev.fairlead.fleet.node.Gpu;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.resources.GpuCatalogue;
import dev.fairlead.kernel.resources.GpuModel;
import dev.fairlead.kernel.resources.GpuProduct;
import dev.fairlead.kernel.resources.MigGeometry;
import dev.fairlead.kernel.resources.MigResource;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The form in which a node offers its GPUs, from labels of NVIDIA's GPU feature discovery, its
 * device plugin and cloud providers. Pure.
 *
 * @param model of the GPUs, {@link #UNKNOWN} if no label names it
 * @param memoryMiB device memory of a whole GPU, 0 if unknown
 * @param kind meaning of one unit of {@code nvidia.com/gpu}
 * @param parts units of each GPU for {@code PARTS}, units of each slice for {@code SLICES}, else 1
 * @param profile MIG profile of every unit for {@code SLICES}, else null
 */
public record GpuOffer(
    String model, long memoryMiB, Kind kind, int parts, @Nullable String profile) {
  /** The meaning of one unit of {@code nvidia.com/gpu}. */
  public enum Kind {
    /** A whole GPU. */
    WHOLE,
    /** One of several equal parts of a GPU, by time-slicing or MPS. */
    PARTS,
    /**
     * A MIG slice. With strategy {@code single}, the device plugin offers slices under the resource
     * name of GPUs.
     */
    SLICES,
    /** A unit that the labels do not explain. Such a node offers no GPUs. */
    NOT_UNDERSTOOD
  }

  /** Model name for GPUs that no label names. */
  public static final String UNKNOWN = "UNKNOWN";

  /** Label in the report of a node with the form of its GPUs, absent for whole GPUs. */
  public static final String LABEL = "fairlead.dev/gpu-offer";

  /** Label of GPU feature discovery with the product. The model is read from it first. */
  public static final String PRODUCT = "nvidia.com/gpu.product";

  private static final String MEMORY = "nvidia.com/gpu.memory";
  private static final String REPLICAS = "nvidia.com/gpu.replicas";
  private static final String COUNT = "nvidia.com/gpu.count";
  private static final String PARTS_OF = "parts-";
  private static final String SLICES_OF = "slices-";
  private static final String NONE = "none";

  /** The smallest GPU fraction that a job may request is a hundredth. */
  private static final int MOST_PARTS = 100;

  /** Labels that name the model if the product does not, in reading order. */
  private static final List<String> MODEL_LABELS =
      List.of(
          "cloud.google.com/gke-accelerator",
          "gpu.nvidia.com/model",
          "gpu.nvidia.com/class",
          "karpenter.k8s.aws/instance-gpu-name",
          "node.kubernetes.io/instance-type",
          "beta.kubernetes.io/instance-type");

  /**
   * Reads the labels of a node.
   *
   * @param units offered as {@code nvidia.com/gpu} and {@code nvidia.com/gpu.shared}
   * @param renamed whether some are offered as {@code nvidia.com/gpu.shared}
   */
  public static GpuOffer read(Map<String, String> labels, int units, boolean renamed) {
    GpuProduct product = GpuProduct.of(labels.getOrDefault(PRODUCT, ""));
    String profile = product.profile();
    long labelled = number(labels.get(MEMORY));
    Optional<GpuModel> model = model(labels, product);
    String name =
        model.map(GpuModel::name).orElse(product.name().isEmpty() ? UNKNOWN : product.name());
    long known = model.map(GpuModel::memoryMiB).orElse(0L);
    int replicas = (int) Math.min(number(labels.get(REPLICAS)), Integer.MAX_VALUE);
    if (product.virtual()) {
      return new GpuOffer(product.name(), 0, Kind.NOT_UNDERSTOOD, 1, null);
    }
    if (profile != null) {
      return slices(name, known, profile, Math.max(1, replicas));
    }
    long memory = labelled > 0 ? labelled : known;
    if (!product.shared() && !renamed && replicas < 2) {
      return new GpuOffer(name, memory, Kind.WHOLE, 1, null);
    }
    int parts = replicas >= 2 ? replicas : parts(units, (int) number(labels.get(COUNT)));
    return parts < 2 || parts > MOST_PARTS
        ? new GpuOffer(name, memory, Kind.NOT_UNDERSTOOD, 1, null)
        : new GpuOffer(name, memory, Kind.PARTS, parts, null);
  }

  /** Assumes one GPU if no label counts the GPUs, so that no part is overestimated. */
  private static int parts(int units, int devices) {
    return units / Math.max(1, devices);
  }

  private static GpuOffer slices(String model, long memory, String profile, int replicas) {
    boolean known = MigGeometry.of(model).flatMap(g -> g.profile(profile)).isPresent();
    return known
        ? new GpuOffer(model, memory, Kind.SLICES, replicas, profile)
        : new GpuOffer(model, memory, Kind.NOT_UNDERSTOOD, 1, null);
  }

  /** Returns the first label that names a model of the catalogue. */
  private static Optional<GpuModel> model(Map<String, String> labels, GpuProduct product) {
    /* The memory label of a slice contains the memory of the slice. */
    long memory = product.profile() != null ? 0 : number(labels.get(MEMORY));
    long provided = number(labels.get("karpenter.k8s.aws/instance-gpu-memory"));
    return Stream.concat(
            Stream.of(product.name()),
            MODEL_LABELS.stream().map(name -> labels.getOrDefault(name, "")))
        .filter(value -> !value.isBlank())
        .flatMap(value -> GpuCatalogue.read(value, memory > 0 ? memory : provided).stream())
        .findFirst();
  }

  private static long number(@Nullable String text) {
    return text != null && text.matches("[0-9]{1,9}") ? Long.parseLong(text) : 0;
  }

  /** Returns whether a node with these labels offers whole GPUs. */
  public static boolean whole(Map<String, String> labels) {
    return !labels.containsKey(LABEL);
  }

  /** Reads the form of the GPUs from the report of a node. */
  public static GpuOffer of(Map<String, String> labels, String model, long memoryMiB) {
    String value = labels.getOrDefault(LABEL, "");
    if (value.startsWith(SLICES_OF)) {
      String profile = value.substring(SLICES_OF.length()).replace(".me", "+me");
      return new GpuOffer(model, memoryMiB, Kind.SLICES, 1, profile);
    }
    if (value.startsWith(PARTS_OF)) {
      int parts = (int) number(value.substring(PARTS_OF.length()));
      return new GpuOffer(model, memoryMiB, Kind.PARTS, Math.max(1, parts), null);
    }
    return new GpuOffer(
        model, memoryMiB, value.isEmpty() ? Kind.WHOLE : Kind.NOT_UNDERSTOOD, 1, null);
  }

  /** Returns the value of {@link #LABEL}, empty for whole GPUs. */
  public Optional<String> label() {
    return switch (kind) {
      case WHOLE -> Optional.empty();
      case PARTS -> Optional.of(PARTS_OF + parts);
      case SLICES -> Optional.of(SLICES_OF + Objects.requireNonNull(profile).replace("+", "."));
      case NOT_UNDERSTOOD -> Optional.of(NONE);
    };
  }

  /** Returns the number of GPUs that this many units belong to. */
  public int devices(int units) {
    return switch (kind) {
      case WHOLE -> units;
      case PARTS -> units / parts;
      case SLICES -> Math.ceilDiv(units / parts, perGpu());
      case NOT_UNDERSTOOD -> 0;
    };
  }

  /** Converts thousandths of units to thousandths of GPUs. */
  public long milli(long unitMilli) {
    return switch (kind) {
      case WHOLE -> unitMilli;
      case PARTS -> Math.ceilDiv(unitMilli, parts);
      case SLICES ->
          unitMilli
              / Gpu.WHOLE_MILLI
              / parts
              * MigGeometry.milli(model, Objects.requireNonNull(profile));
      case NOT_UNDERSTOOD -> 0;
    };
  }

  private int perGpu() {
    return MigGeometry.of(model)
        .flatMap(geometry -> geometry.profile(Objects.requireNonNull(profile)))
        .map(slice -> Math.max(1, slice.fits(0)))
        .orElse(1);
  }

  /**
   * Returns the name of the resource that a pod requests to get a slice of the profile on a node
   * with these labels.
   */
  public static String sliceResource(Map<String, String> labels, String profile, String units) {
    return labels.getOrDefault(LABEL, "").startsWith(SLICES_OF) ? units : MigResource.of(profile);
  }

  /**
   * Names the nodes with GPUs that are not offered, then the nodes with GPUs of an unknown model,
   * and the label to set. Each group is named by its first node. Empty if all labels were
   * understood.
   */
  public static Optional<String> trouble(Collection<NodeReport> nodes) {
    List<NodeReport> none =
        nodes.stream().filter(node -> NONE.equals(node.labels().get(LABEL))).toList();
    List<NodeReport> unknown =
        nodes.stream().filter(node -> node.gpuModel().equals(UNKNOWN)).toList();
    String sentences =
        Stream.of(
                first(none)
                    .map(node ->
                        ("the GPUs of %s with the product %s are not offered: neither whole GPUs,"
                                + " nor MIG slices of a known model, nor at most %d parts of a"
                                + " GPU")
                            .formatted(
                                named(node, none),
                                node.labels().getOrDefault(PRODUCT, "(no label)"),
                                MOST_PARTS)),
                first(unknown)
                    .map(node ->
                        ("no label names the GPU model of %s: install GPU feature discovery or set"
                                + " %s")
                            .formatted(named(node, unknown), PRODUCT)))
            .flatMap(Optional::stream)
            .collect(Collectors.joining(". "));
    return sentences.isEmpty() ? Optional.empty() : Optional.of(sentences);
  }

  private static Optional<NodeReport> first(List<NodeReport> nodes) {
    return nodes.stream().min(Comparator.comparing(NodeReport::name));
  }

  private static String named(NodeReport first, List<NodeReport> all) {
    return all.size() == 1
        ? "node " + first.name()
        : "node " + first.name() + " and " + (all.size() - 1) + " others";
  }
}
