package dev.fairlead.work.placement.score;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How many times its own size each kind of GPU is asked for, compared with a fleet on which every
 * member takes any kind: 1 there. The demand of a shape lies evenly on all GPUs that it accepts. A
 * kind that many members insist on and few nodes have has more than 1, one that is only a choice
 * among others has less.
 */
final class GpuScarcity {
  private final SortedMap<GpuKind, Double> byKind = new TreeMap<>();

  /**
   * @param gpus number of GPUs of each kind
   * @param requests what members ask for, with how many do
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

  /** At least 0; 0 for a kind that no member may use. */
  double of(GpuKind kind) {
    return byKind.getOrDefault(kind, 0.0);
  }
}
