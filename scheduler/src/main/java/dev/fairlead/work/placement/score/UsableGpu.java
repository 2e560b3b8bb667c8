package dev.fairlead.work.placement.score;

import dev.fairlead.fleet.node.gpu.Gpu;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The idle GPU of a node that the members of a mix can use, weighted by their popularity. The rest
 * is fragmented. From Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with
 * Fragmentation Gradient Descent", USENIX ATC 2023, section 3: a shape that does not fit a node
 * cannot use any of it, a fraction can use the idle amount of devices with enough free capacity,
 * and so on.
 *
 * <p>In addition to the paper, a share of the weight counts GPU only up to the amount that the
 * node's idle CPU and memory could feed if only this shape arrived. GPUs without CPU and memory are
 * lost even before the last member is placed.
 */
public final class UsableGpu {
  private static final int WHOLE = Gpu.WHOLE_MILLI;

  /** Maximum number of shapes that are evaluated, the most popular first. */
  private static final int MOST_SHAPES = 256;

  /**
   * Weight of GPU that CPU and memory can feed. The rest of the weight counts GPU alone, as in the
   * paper.
   */
  private final double fed;

  /** Ordered by amount: thousandths of one device, then whole devices. */
  private final int[] asks;

  /** Number of requests for at most one device. Later entries request several devices. */
  private final int single;

  /** Number of single-device requests that the thousandths of one device can serve, 0..1000. */
  private final int[] served = new int[WHOLE + 1];

  /** First shape of each request, and the end. Shapes of one request are sorted by CPU. */
  private final int[] from;

  private final long[] cpu;
  private final long[] memory;
  private final double[] weight;
  private final double[] perCpu;
  private final double[] perMemory;
  private final long[] idleOn;

  private record TypicalShape(int ask, long cpuMilli, long memoryMiB, double weight) {
    static final Comparator<TypicalShape> BY_NEED =
        Comparator.comparingInt(TypicalShape::ask)
            .thenComparingLong(TypicalShape::cpuMilli)
            .thenComparingLong(TypicalShape::memoryMiB);

    TypicalShape weighing(double other) {
      return new TypicalShape(ask, cpuMilli, memoryMiB, other);
    }
  }

  UsableGpu(List<Map.Entry<ShapeMix.Request, Long>> mix, long total, GpuKind kind, double fed) {
    this.fed = fed;
    List<TypicalShape> shapes = shapes(mix, total, kind);
    SortedSet<Integer> amounts = new TreeSet<>();
    shapes.forEach(s -> amounts.add(s.ask));
    asks = amounts.stream().mapToInt(Integer::intValue).toArray();
    single = amounts.headSet(WHOLE + 1).size();
    for (int milli = 0; milli <= WHOLE; milli++) {
      served[milli] = amounts.headSet(milli + 1).size();
    }
    from = new int[asks.length + 1];
    cpu = shapes.stream().mapToLong(TypicalShape::cpuMilli).toArray();
    memory = shapes.stream().mapToLong(TypicalShape::memoryMiB).toArray();
    weight = shapes.stream().mapToDouble(TypicalShape::weight).toArray();
    perCpu = shapes.stream().mapToDouble(s -> (double) s.ask / Math.max(1, s.cpuMilli)).toArray();
    perMemory =
        shapes.stream().mapToDouble(s -> (double) s.ask / Math.max(1, s.memoryMiB)).toArray();
    idleOn = new long[asks.length];
    for (int i = 0, ask = 0; ask <= asks.length; ask++) {
      while (ask < asks.length && i < shapes.size() && shapes.get(i).ask < asks[ask]) {
        i++;
      }
      from[ask] = ask == asks.length ? shapes.size() : i;
    }
  }

  private static List<TypicalShape> shapes(
      List<Map.Entry<ShapeMix.Request, Long>> mix, long total, GpuKind kind) {
    SortedMap<TypicalShape, Long> counts = new TreeMap<>(TypicalShape.BY_NEED);
    for (Map.Entry<ShapeMix.Request, Long> entry : mix) {
      ShapeMix.Request request = entry.getKey();
      long ask = request.gpu().milliOn(kind.memoryMiB());
      if (ask > 0 && kind.serves(request.gpu())) {
        TypicalShape shape =
            new TypicalShape((int) ask, request.cpuMilli(), request.memoryMiB(), 0);
        counts.merge(shape, entry.getValue(), Long::sum);
      }
    }
    List<TypicalShape> shapes = new ArrayList<>();
    counts.forEach(
        (shape, count) -> shapes.add(shape.weighing((double) count / Math.max(1, total))));
    shapes.sort(
        Comparator.comparingDouble((TypicalShape s) -> -s.weight)
            .thenComparing(TypicalShape.BY_NEED));
    return shapes.stream().limit(MOST_SHAPES).sorted(TypicalShape.BY_NEED).toList();
  }

  /**
   * Returns the expected thousandths of GPU that the next member's shape could use.
   *
   * @param free free thousandths of each device, 0..1000
   * @param idleCpuMilli idle CPU of the node in the evaluated state, in thousandths
   * @param idleMemoryMiB idle memory of the node in the evaluated state, in MiB
   */
  public double of(int[] free, long idleCpuMilli, long idleMemoryMiB) {
    return sum(free, idleCpuMilli, idleMemoryMiB, fed);
  }

  /**
   * Returns the thousandths of idle GPU that the next member cannot use, as defined in the paper:
   * CPU and memory count for one member only. For a shape without GPU, all idle GPU counts.
   */
  public double fragmented(int[] free, long idleCpuMilli, long idleMemoryMiB) {
    return Arrays.stream(free).sum() - sum(free, idleCpuMilli, idleMemoryMiB, 0);
  }

  private double sum(int[] free, long idleCpuMilli, long idleMemoryMiB, double fed) {
    countIdle(free);
    double sum = 0;
    for (int ask = 0; ask < asks.length; ask++) {
      if (idleOn[ask] > 0) {
        sum += sumOf(ask, idleCpuMilli, idleMemoryMiB, fed);
      }
    }
    return sum;
  }

  /** Counts the idle thousandths on devices that can serve each request. */
  private void countIdle(int[] free) {
    Arrays.fill(idleOn, 0);
    int whole = 0;
    for (int milli : free) {
      int serves = served[milli];
      if (serves > 0) {
        idleOn[serves - 1] += milli;
      }
      whole += milli == WHOLE ? 1 : 0;
    }
    for (int ask = single - 2; ask >= 0; ask--) {
      idleOn[ask] += idleOn[ask + 1];
    }
    for (int ask = single; ask < asks.length; ask++) {
      idleOn[ask] = asks[ask] <= whole * WHOLE ? (long) whole * WHOLE : 0;
    }
  }

  private double sumOf(int ask, long idleCpuMilli, long idleMemoryMiB, double fed) {
    double idle = idleOn[ask];
    double byItself = 0;
    double feedable = 0;
    int end = from[ask + 1];
    for (int i = from[ask]; i < end && cpu[i] <= idleCpuMilli; i++) {
      if (memory[i] <= idleMemoryMiB) {
        double feeds = Math.min(idleCpuMilli * perCpu[i], idleMemoryMiB * perMemory[i]);
        byItself += weight[i];
        feedable += weight[i] * Math.min(idle, feeds);
      }
    }
    return (1 - fed) * byItself * idle + fed * feedable;
  }
}
