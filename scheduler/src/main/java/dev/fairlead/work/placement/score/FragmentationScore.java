package dev.fairlead.work.placement.score;

import dev.fairlead.fleet.node.Gpu;
import dev.fairlead.work.placement.gpu.GpuSlots;
import dev.fairlead.work.placement.ledger.NodeCapacity;
import dev.fairlead.work.placement.shape.MemberShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Fragmentation gradient descent (USENIX ATC 2023, see {@link UsableGpu}): the node and the device
 * where the mix loses least of the GPU that it could use. Leaving idle GPU and idle cpu out of
 * proportion has a small price: without it members without GPU would fill nodes whose GPUs are
 * idle. Demand for certain models has a price too: members that take any GPU leave scarce models
 * alone. Among devices of one node with equal loss the one with least free wins.
 */
public final class FragmentationScore implements NodeScore {
  /** Score points of a thousandth of a GPU: sums that differ by rounding alone are equal. */
  private static final double POINTS = 1 << 16;

  private static final int WHOLE = Gpu.WHOLE_MILLI;

  private final List<UsableGpu> usable = new ArrayList<>();

  private final Prices prices;
  private final double gpuPerCpu;
  private final double[] scarcity;
  private final double[] before;
  private final int[] beforeAt;
  private int[] free = new int[0];

  /** What is usable after a part went to the slot that {@link #bestSlot} found. */
  private double mostAfter;

  /**
   * What is added to the gradient; without all three it is the paper's.
   *
   * @param fed weight of GPU that cpu and memory can feed, 0..1
   * @param imbalance thousandths of a GPU that one of imbalance costs; above 0.1 it works against
   *     the gradient
   * @param scarcity thousandths of a GPU that one of a kind costs, times its {@link GpuScarcity};
   *     cpu beside such GPUs costs half of it
   */
  public record Prices(double fed, double imbalance, double scarcity) {
    /** As measured in docs/benchmarks.md. */
    public static final Prices DEFAULT = new Prices(0.2, 0.05, 0.1);
  }

  /**
   * @param capacities all nodes of one cluster, by rank
   */
  public FragmentationScore(List<NodeCapacity> capacities, ShapeMix mix, Prices prices) {
    this.prices = prices;
    SortedMap<GpuKind, UsableGpu> kinds = new TreeMap<>();
    SortedMap<GpuKind, Long> gpus = new TreeMap<>();
    for (NodeCapacity capacity : capacities) {
      GpuKind kind = GpuKind.of(capacity.node());
      usable.add(kinds.computeIfAbsent(kind, k -> mix.on(k, prices.fed())));
      gpus.merge(kind, (long) capacity.slots().size(), Long::sum);
    }
    GpuScarcity asked = mix.scarcity(gpus);
    scarcity =
        capacities.stream()
            .mapToDouble(capacity -> asked.of(GpuKind.of(capacity.node())))
            .toArray();
    gpuPerCpu = gpuPerCpu(capacities);
    before = new double[capacities.size()];
    beforeAt = new int[capacities.size()];
    Arrays.fill(beforeAt, -1);
  }

  /** Thousandths of GPUs to thousandths of cores on all nodes with GPUs together. */
  private static double gpuPerCpu(List<NodeCapacity> capacities) {
    double gpu = 0;
    double cpu = 0;
    for (NodeCapacity capacity : capacities) {
      if (capacity.hasGpus()) {
        gpu += (double) capacity.slots().size() * WHOLE;
        cpu += Math.max(0, capacity.node().allocatable().cpuMilli());
      }
    }
    return gpu / Math.max(1, cpu);
  }

  @Override
  public long of(NodeCapacity capacity, MemberShape member) {
    double now = now(capacity);
    read(capacity.slots());
    double after =
        switch (member.gpu().kind()) {
          case NONE -> after(capacity, member);
          case MIG -> withoutWhole(capacity, member, capacity.slots().opens(member.gpu()));
          case WHOLE -> withoutWhole(capacity, member, member.gpu().count());
          case FRACTION, MEMORY -> {
            bestSlot(capacity, member);
            yield mostAfter;
          }
        };
    double gpu = member.gpu().milliOn(capacity.node().gpuModel(), capacity.node().gpuMemoryMiB());
    double cpu = member.cpuMilli() * gpuPerCpu;
    double imbalance = prices.imbalance() * imbalance(capacity, cpu - gpu);
    double taken = prices.scarcity() * scarcity[capacity.rank()] * (gpu + cpu / 2);
    return Math.round((now - after + imbalance + taken) * POINTS);
  }

  /** By how much idle GPU and idle cpu grow apart, in thousandths of a GPU. */
  private double imbalance(NodeCapacity capacity, double change) {
    double apart = capacity.slots().idleMilli() - capacity.freeCpuMilli() * gpuPerCpu;
    return Math.abs(apart + change) - Math.abs(apart);
  }

  @Override
  public int slot(NodeCapacity capacity, MemberShape member) {
    return switch (member.gpu().kind()) {
      case NONE, WHOLE, MIG -> -1;
      case FRACTION, MEMORY -> bestSlot(capacity, member);
    };
  }

  private int bestSlot(NodeCapacity capacity, MemberShape member) {
    int milli = GpuSlots.milliEach(member.gpu(), capacity.node().gpuMemoryMiB());
    read(capacity.slots());
    int best = -1;
    mostAfter = 0;
    for (int slot = 0; slot < free.length; slot++) {
      if (free[slot] < milli || seen(slot)) {
        continue;
      }
      double after = after(capacity, member, slot);
      long gain = Math.round((after - mostAfter) * POINTS);
      if (best < 0 || gain > 0 || gain == 0 && free[slot] < free[best]) {
        mostAfter = after;
        best = slot;
      }
    }
    return best;
  }

  private boolean seen(int slot) {
    for (int i = 0; i < slot; i++) {
      if (free[i] == free[slot]) {
        return true;
      }
    }
    return false;
  }

  private double after(NodeCapacity capacity, MemberShape member, int slot) {
    int milli = GpuSlots.milliEach(member.gpu(), capacity.node().gpuMemoryMiB());
    free[slot] -= milli;
    double after = after(capacity, member);
    free[slot] += milli;
    return after;
  }

  private double withoutWhole(NodeCapacity capacity, MemberShape member, int devices) {
    int left = devices;
    for (int slot = 0; slot < free.length && left > 0; slot++) {
      if (free[slot] == WHOLE) {
        free[slot] = 0;
        left--;
      }
    }
    return after(capacity, member);
  }

  private double after(NodeCapacity capacity, MemberShape member) {
    return usable
        .get(capacity.rank())
        .of(
            free,
            capacity.freeCpuMilli() - member.cpuMilli(),
            capacity.freeMemoryMiB() - member.memoryMiB());
  }

  private double now(NodeCapacity capacity) {
    int rank = capacity.rank();
    if (beforeAt[rank] != capacity.version()) {
      beforeAt[rank] = capacity.version();
      read(capacity.slots());
      before[rank] = usable.get(rank).of(free, capacity.freeCpuMilli(), capacity.freeMemoryMiB());
    }
    return before[rank];
  }

  private void read(GpuSlots slots) {
    if (free.length != slots.size()) {
      free = new int[slots.size()];
    }
    slots.copyTo(free);
  }
}
