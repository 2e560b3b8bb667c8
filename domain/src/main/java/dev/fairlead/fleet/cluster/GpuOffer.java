package dev.fairlead.fleet.cluster;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.gpu.Gpu;
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
 * A node's GPUs as it offers them. The values come from the labels of NVIDIA's GPU feature
 * discovery, its device plugin and cloud providers. Pure.
 *
 * @param model model of the GPUs, {@link #UNKNOWN} if no label names it
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
    /** One of several equal parts of a GPU that is shared by time-slicing or MPS. */
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

  /** Label of GPU feature discovery with the product. First label to read the model from. */
  public static final String PRODUCT = "nvidia.com/gpu.product";

  private static final String MEMORY = "nvidia.com/gpu.memory";
  private static final String REPLICAS = "nvidia.com/gpu.replicas";
  private static final String COUNT = "nvidia.com/gpu.count";
  private static final String STRATEGY = "nvidia.com/gpu.sharing-strategy";

  /** GKE does not set the labels of GPU feature discovery. */
  private static final String GKE_PARTITION = "cloud.google.com/gke-gpu-partition-size";

  private static final String GKE_STRATEGY = "cloud.google.com/gke-gpu-sharing-strategy";
  private static final String GKE_CLIENTS = "cloud.google.com/gke-max-shared-clients-per-gpu";

  private static final String PARTS_OF = "parts-";
  private static final String SLICES_OF = "slices-";
  private static final String NONE = "none";

  /** The smallest GPU fraction that a job may request is a hundredth. */
  private static final int MOST_PARTS = 100;

  /**
   * Reads the labels of a node. Fewer than two units for each counted GPU are whole GPUs, because a
   * device plugin may still offer a GPU that the label no longer counts.
   *
   * @param units offered as {@code nvidia.com/gpu} and {@code nvidia.com/gpu.shared}
   * @param renamed whether some are offered as {@code nvidia.com/gpu.shared}
   */
  public static GpuOffer read(Map<String, String> labels, int units, boolean renamed) {
    GpuProduct product = GpuProduct.of(labels.getOrDefault(PRODUCT, ""));
    String profile =
        Objects.requireNonNullElse(product.profile(), labels.getOrDefault(GKE_PARTITION, ""));
    Optional<GpuModel> model = model(labels, !profile.isEmpty(), product);
    String name =
        model.map(GpuModel::name).orElse(product.name().isEmpty() ? UNKNOWN : product.name());
    long known = model.map(GpuModel::memoryMiB).orElse(0L);
    if (product.virtual()) {
      return new GpuOffer(product.name(), 0, Kind.NOT_UNDERSTOOD, 1, null);
    }
    int replicas = replicas(labels);
    boolean shared = product.shared() || renamed || replicas >= 2 || sharing(labels);
    if (!profile.isEmpty()) {
      return shared && replicas < 2
          ? new GpuOffer(name, known, Kind.NOT_UNDERSTOOD, 1, null)
          : slices(name, known, profile, Math.max(1, replicas));
    }
    long labelled = number(labels.get(MEMORY));
    long memory = labelled > 0 ? labelled : known;
    int devices = (int) number(labels.get(COUNT));
    if (!shared && (devices == 0 || units < 2 * devices)) {
      return new GpuOffer(name, memory, Kind.WHOLE, 1, null);
    }
    int parts = replicas >= 2 ? replicas : parts(units, devices);
    return parts < 2 || parts > MOST_PARTS
        ? new GpuOffer(name, memory, Kind.NOT_UNDERSTOOD, 1, null)
        : new GpuOffer(name, memory, Kind.PARTS, parts, null);
  }

  /** Returns the number of units of each GPU or slice, 0 if no label has it. */
  private static int replicas(Map<String, String> labels) {
    return (int) number(units(labels));
  }

  /** Returns whether a label indicates sharing, also with an unreadable number of units. */
  private static boolean sharing(Map<String, String> labels) {
    String units = units(labels);
    return !units.isEmpty() && !units.matches("[0-9]{1,9}")
        || Stream.of(STRATEGY, GKE_STRATEGY)
            .map(name -> labels.getOrDefault(name, NONE))
            .anyMatch(value -> !value.isEmpty() && !value.equals(NONE));
  }

  private static String units(Map<String, String> labels) {
    return labels
        .getOrDefault(REPLICAS, labels.getOrDefault(GKE_CLIENTS, ""))
        .replaceFirst("\\.0+$", "");
  }

  /** Assumes one GPU if no label counts the GPUs, so that no part is overestimated. */
  private static int parts(int units, int devices) {
    return units / Math.max(1, devices);
  }

  /**
   * Returns MIG slices of one profile, {@code NOT_UNDERSTOOD} if the model is not known to have it.
   */
  public static GpuOffer slices(String model, long memory, String profile, int replicas) {
    boolean known = MigGeometry.of(model).flatMap(g -> g.profile(profile)).isPresent();
    return known
        ? new GpuOffer(model, memory, Kind.SLICES, replicas, profile)
        : new GpuOffer(model, memory, Kind.NOT_UNDERSTOOD, 1, null);
  }

  /**
   * Returns the model of the first label that names a model of the catalogue. The memory label of a
   * slice contains the memory of the slice.
   */
  private static Optional<GpuModel> model(
      Map<String, String> labels, boolean sliced, GpuProduct product) {
    long memory = sliced ? 0 : number(labels.get(MEMORY));
    long provided = number(labels.get("karpenter.k8s.aws/instance-gpu-memory"));
    return Stream.concat(
            Stream.of(product.name()),
            GpuCatalogue.labels().stream().map(name -> labels.getOrDefault(name, "")))
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

  /** Returns the number of slices that fit on a GPU. */
  public int perGpu() {
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
   * and the label to set. Each group is named by its first node. The result is empty if all labels
   * were understood.
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
