package dev.fairlead.verify.engine.fgd;

import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.verify.BadInput;
import dev.fairlead.verify.load.replay.TraceTable;
import dev.fairlead.work.placement.shape.BookedNodes;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.placement.shape.Neighbours;
import dev.fairlead.work.placement.shape.NodeTerms;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PlacementSpec.Numa;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Pods of an openb list, each as its requested shape.
 *
 * @param name name of the list, such as {@code default}
 * @param pods in the order of the file. Pods of one shape share one value
 */
record PodList(String name, List<MemberShape> pods) {
  /** Reads a list. {@code gpu_spec} may be absent, and unknown columns are ignored. */
  static PodList read(Path file) {
    List<MemberShape> rows = new TraceTable(file).rows(PodList::pod);
    if (rows.stream().noneMatch(MemberShape::asksGpu)) {
      throw new BadInput(file + ": expected at least one pod that requests a GPU");
    }
    Map<MemberShape, MemberShape> shared = new LinkedHashMap<>();
    return new PodList(
        nameOf(file), rows.stream().map(p -> shared.computeIfAbsent(p, s -> s)).toList());
  }

  /** Thousandths of a GPU that a pod requests. */
  static long milli(MemberShape pod) {
    return pod.gpu().milliOn(NodeList.DEVICE_MEMORY_MIB);
  }

  private static String nameOf(Path file) {
    return String.valueOf(file.getFileName())
        .replaceFirst("^openb_pod_list_", "")
        .replaceFirst("\\.csv(\\.gz)?$", "");
  }

  private static MemberShape pod(TraceTable.Row row) {
    long cpu = row.field("cpu_milli", "thousandths of a core, 0 or more", PodList::amount);
    long memory = row.field("memory_mib", "MiB, 0 or more", PodList::amount);
    int gpus = row.field("num_gpu", "a number of GPUs, 0 to 64", t -> within(t, 0, 64));
    int milli = row.field("gpu_milli", "thousandths of a GPU, 0 to 1000", t -> within(t, 0, 1000));
    List<String> models =
        row.has("gpu_spec")
            ? row.field("gpu_spec", "models between |", PodList::models)
            : List.of();
    if (gpus == 1) {
      row.field("gpu_milli", "thousandths of one GPU, 1 to 1000", t -> within(t, 1, 1000));
    }
    GpuRequest gpu = request(gpus, milli, models.toArray(String[]::new));
    return shape(gpu, cpu, memory);
  }

  static MemberShape shape(GpuRequest gpu, long cpuMilli, long memoryMiB) {
    return new MemberShape(
        0,
        "pod",
        1,
        1,
        gpu,
        cpuMilli,
        memoryMiB,
        false,
        null,
        new NodeTerms(
            PlacementSpec.ANYWHERE.nodeLabels(),
            Neighbours.ANY,
            Numa.NONE,
            Collections.emptySortedMap(),
            BookedNodes.NONE,
            false,
            Collections.emptySortedSet()));
  }

  static GpuRequest request(int gpus, int milli, String... models) {
    if (gpus == 0) {
      return GpuRequest.NONE;
    }
    return gpus == 1 && milli < 1000
        ? GpuRequest.fraction(milli, models)
        : GpuRequest.whole(gpus, models);
  }

  private static List<String> models(String text) {
    List<String> models = new ArrayList<>();
    for (String model : text.split("\\|", -1)) {
      if (!model.isBlank() && !models.contains(model.strip())) {
        models.add(model.strip());
      }
    }
    models.sort(null);
    return models;
  }

  static long amount(String text) {
    long amount = Long.parseLong(text);
    if (amount < 0 || amount > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(text);
    }
    return amount;
  }

  static int within(String text, int least, int most) {
    int number = Integer.parseInt(text);
    if (number < least || number > most) {
      throw new IllegalArgumentException(text);
    }
    return number;
  }
}
