package dev.fairlead.verify.engine.fgd;

import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.score.ShapeMix;
import dev.fairlead.work.placement.score.UsableGpu;
import dev.fairlead.work.placement.shape.MemberShape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The measure of the protocol: idle GPU that the most frequent shapes of a list cannot use. */
final class Fragmentation {
  private static final int COVERED_PERCENT = 95;

  private final Map<String, UsableGpu> byModel = new TreeMap<>();
  private final ShapeMix mix = new ShapeMix();

  /** Weighs the most frequent shapes that cover 95 % of the list. */
  Fragmentation(PodList list) {
    Map<MemberShape, Long> counts = new LinkedHashMap<>();
    list.pods().forEach(p -> counts.merge(p, 1L, Long::sum));
    List<Map.Entry<MemberShape, Long>> frequent = new ArrayList<>(counts.entrySet());
    frequent.sort(Map.Entry.<MemberShape, Long>comparingByValue().reversed());
    long covered = 0;
    for (Map.Entry<MemberShape, Long> shape : frequent) {
      if (covered * 100 < (long) list.pods().size() * COVERED_PERCENT) {
        mix.add(shape.getKey(), shape.getValue());
        covered += shape.getValue();
      }
    }
  }

  /** Thousandths of GPUs over all nodes. */
  double of(List<NodeCapacity> rooms) {
    double sum = 0;
    for (NodeCapacity room : rooms) {
      int[] free = new int[room.slots().size()];
      room.slots().copyTo(free);
      sum +=
          byModel
              .computeIfAbsent(room.node().gpuModel(), m -> mix.on(m, room.node().gpuMemoryMiB()))
              .fragmented(free, room.freeCpuMilli(), room.freeMemoryMiB());
    }
    return sum;
  }
}
