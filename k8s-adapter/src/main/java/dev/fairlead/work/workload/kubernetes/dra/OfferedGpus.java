package dev.fairlead.work.workload.kubernetes.dra;

import dev.fairlead.fleet.cluster.GpuOffer;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuCatalogue;
import dev.fairlead.kernel.resources.GpuModel;
import dev.fairlead.kernel.resources.MigResource;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.member.HeldDevice;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The form in which a node offers its published GPUs: whole GPUs of one product, or, if it has
 * none, MIG slices of one profile. The slots are physical GPUs in both forms.
 */
final class OfferedGpus {
  private final boolean slices;

  /**
   * @param slices whether pods claim MIG slices, so that a device plugin offers none
   */
  OfferedGpus(boolean slices) {
    this.slices = slices;
  }

  /** Whether jobs may get a device. The first value of several slices of a GPU counts. */
  enum Condition {
    TAINTED(GpuState.FAILED),
    UNCERTAIN(GpuState.UNKNOWN),
    /** Claimed by another holder. */
    TAKEN(GpuState.UNKNOWN),
    FREE(GpuState.HEALTHY);

    private final GpuState state;

    Condition(GpuState state) {
      this.state = state;
    }

    /** Returns whether the node offers it. */
    boolean offered() {
      return this == FREE || this == TAKEN;
    }
  }

  /**
   * @param all devices of the node, in order
   */
  NodeReport shown(
      NodeReport node, List<PublishedGpu> all, Function<PublishedGpu, Condition> condition) {
    SortedMap<String, String> labels = new TreeMap<>(node.labels());
    labels.remove(GpuOffer.LABEL);
    if (all.isEmpty()) {
      return report(node, Flavor.CPU, 0, 0, 0, labels, List.of());
    }
    PublishedGpu first =
        all.stream().filter(gpu -> gpu.profile() == null).findFirst().orElse(all.getFirst());
    GpuOffer offer = offer(node, first);
    offer.label().ifPresent(form -> labels.put(GpuOffer.LABEL, form));
    Map<String, List<PublishedGpu>> byGpu = new LinkedHashMap<>();
    if (offer.kind() != GpuOffer.Kind.NOT_UNDERSTOOD) {
      all.stream()
          .filter(gpu -> gpu.product().equals(first.product()))
          .filter(gpu -> Objects.equals(gpu.profile(), first.profile()))
          .forEach(gpu -> byGpu.computeIfAbsent(gpu.uuid(), u -> new ArrayList<>()).add(gpu));
    }
    List<Gpu> gpus = new ArrayList<>();
    long usable = 0;
    long taken = 0;
    for (Map.Entry<String, List<PublishedGpu>> gpu : byGpu.entrySet()) {
      if (gpus.size() < HeldDevice.MOST) {
        List<PublishedGpu> its = gpu.getValue();
        Condition now = worst(its.size() == each(offer), its, condition);
        usable += now.offered() ? its.size() : 0;
        if (now == Condition.TAKEN) {
          taken += its.stream().filter(device -> condition.apply(device) == now).count();
        }
        gpus.add(new Gpu(gpus.size(), gpu.getKey(), now.state, 0));
      }
    }
    return report(
        node,
        offer.model(),
        offer.memoryMiB(),
        offer.milli(usable * Gpu.WHOLE_MILLI),
        offer.milli(taken * Gpu.WHOLE_MILLI),
        labels,
        gpus);
  }

  private static int each(GpuOffer offer) {
    return offer.kind() == GpuOffer.Kind.SLICES ? offer.perGpu() : 1;
  }

  /**
   * Returns whether more slices of the profile fit on a GPU than these, which are all of the GPU.
   */
  static boolean lacksSlices(List<PublishedGpu> slices) {
    PublishedGpu first = slices.isEmpty() ? null : slices.getFirst();
    String profile = first == null ? null : first.profile();
    return first != null
        && profile != null
        && GpuCatalogue.read(first.product(), 0)
            .map(model -> GpuOffer.slices(model.name(), 0, profile, 1))
            .filter(offer -> slices.size() < each(offer))
            .isPresent();
  }

  /**
   * Fairlead counts free slices by their positions on a GPU, so a GPU without all slices of the
   * profile is unknown.
   */
  private static Condition worst(
      boolean complete, List<PublishedGpu> devices, Function<PublishedGpu, Condition> condition) {
    Condition worst = complete ? Condition.FREE : Condition.UNCERTAIN;
    for (PublishedGpu device : devices) {
      Condition its = condition.apply(device);
      worst = its.compareTo(worst) < 0 ? its : worst;
    }
    return worst;
  }

  private static GpuOffer offer(NodeReport node, PublishedGpu first) {
    String profile = first.profile();
    String model =
        GpuCatalogue.read(first.product(), first.memoryMiB())
            .map(GpuModel::name)
            .orElseGet(() -> GpuOffer.read(node.labels(), 0, false).model());
    if (profile == null) {
      return new GpuOffer(model, first.memoryMiB(), GpuOffer.Kind.WHOLE, 1, null);
    }
    long memory =
        GpuCatalogue.read(first.product(), first.memoryMiB()).map(GpuModel::memoryMiB).orElse(0L);
    return GpuOffer.slices(model, memory, profile, 1);
  }

  private NodeReport report(
      NodeReport node,
      String model,
      long memoryMiB,
      long milli,
      long foreign,
      SortedMap<String, String> labels,
      Collection<Gpu> gpus) {
    return node.withGpus(
        model,
        memoryMiB,
        withGpus(node.allocatable(), milli),
        withGpus(node.foreign(), foreign),
        labels,
        List.copyOf(gpus));
  }

  private ResourceVector withGpus(ResourceVector amounts, long milli) {
    SortedMap<String, Long> extended = new TreeMap<>(amounts.extended());
    if (slices) {
      extended.keySet().removeIf(name -> MigResource.profile(name) != null);
    }
    return new ResourceVector(
        amounts.cpuMilli(), amounts.memoryMiB(), milli, amounts.pods(), extended);
  }
}
