package dev.fairlead.work.placement.score;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The demand for each kind of GPU relative to its size, compared with a fleet on which every member
 * accepts any kind, where it is 1. The demand of a shape is distributed equally over all GPUs that
 * it accepts. A kind that many members require and few nodes have is above 1. A kind that is only
 * one of several alternatives is below 1.
 */
final class GpuScarcity {
  private final SortedMap<GpuKind, Double> byKind = new TreeMap<>();

  /**
   * @param gpus number of GPUs of each kind
   * @param requests requests of members, with the number of members
   */
  GpuScarcity(SortedMap<GpuKind, Long> gpus, List<Map.Entry<ShapeMix.Request, Long>> requests) {
    double all = gpus.values().stream().mapToLong(Long::longValue).sum();
    double demand = 0;
    for (Map.Entry<ShapeMix.Request, Long> request : requests) {
      Map<GpuKind, Double> asked = new LinkedHashMap<>();
      double accepted = 0;
      for (Map.Entry<GpuKind, Long> kind : gpus.entrySet()) {
        if (kind.getKey().serves(request.getKey().gpu())) {
          asked.put(kind.getKey(), (double) milli(request, kind.getKey()));
          accepted += kind.getValue();
        }
      }
      double share = accepted == 0 ? 0 : all / accepted;
      asked.forEach((kind, milli) -> byKind.merge(kind, milli * share, Double::sum));
      demand += asked.values().stream().mapToDouble(Double::doubleValue).max().orElse(0);
    }
    double total = Math.max(1, demand);
    byKind.replaceAll((kind, milli) -> milli / total);
  }

  private static long milli(Map.Entry<ShapeMix.Request, Long> request, GpuKind kind) {
    return request.getValue() * request.getKey().gpu().milliOn(kind.model(), kind.memoryMiB());
  }

  /** Returns a value of at least 0, 0 for a kind that no member may use. */
  double of(GpuKind kind) {
    return byKind.getOrDefault(kind, 0.0);
  }
}
