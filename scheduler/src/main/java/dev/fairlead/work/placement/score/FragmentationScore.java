package dev.fairlead.work.placement.score;

import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.work.placement.gpu.GpuSlots;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.shape.MemberShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Fragmentation gradient descent (USENIX ATC 2023, see {@link UsableGpu}): chooses the node and the
 * device where the mix loses the least usable GPU. An imbalance between idle GPU and idle CPU has a
 * small price, so that members without GPUs do not fill nodes with idle GPUs. Demand for certain
 * models has a price too, so that members that accept any GPU avoid scarce models. Among devices of
 * one node with equal loss, the device with the least free amount wins.
 */
public final class FragmentationScore implements NodeScore {
  /** Score points of a thousandth of a GPU. Sums that differ only by rounding are equal. */
  private static final double POINTS = 1 << 16;

  private static final int WHOLE = Gpu.WHOLE_MILLI;

  private final List<UsableGpu> usable = new ArrayList<>();

  private final Prices prices;
  private final double gpuPerCpu;
  private final double[] scarcity;
  private final double[] before;
  private final int[] beforeAt;
  private int[] free = new int[0];

  /** Usable GPU after a fraction was placed on the slot that {@link #bestSlot} found. */
  private double mostAfter;

  /**
   * Weights that are added to the gradient. If all three are zero, the score equals that of the
   * paper.
   *
   * @param fed weight of GPU that CPU and memory can feed, 0..1
   * @param imbalance price of one unit of imbalance in thousandths of a GPU, where more than 0.1
   *     works against the gradient
   * @param scarcity price of one GPU of a kind in thousandths of a GPU, multiplied by its {@link
   *     GpuScarcity} (CPU on nodes with such GPUs costs half of it)
   */
  public record Prices(double fed, double imbalance, double scarcity) {
    /** Measured in docs/contributing/benchmarks.md. */
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

  /**
   * Returns the ratio of thousandths of GPUs to thousandths of cores on all nodes with GPUs
   * together.
   */
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

  /**
   * Returns the increase of the imbalance between idle GPU and idle CPU, in thousandths of a GPU.
   */
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
