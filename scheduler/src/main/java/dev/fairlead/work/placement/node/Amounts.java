package dev.fairlead.work.placement.node;

import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.kernel.resources.MigGeometry;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.placement.gpu.GpuSlots;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Amounts that members use, or will use, on one node. */
final class Amounts {
  private final SortedMap<String, Long> ofEveryNode = new TreeMap<>();
  private final SortedMap<String, Long> extended = new TreeMap<>();
  private final SortedMap<Integer, Long> gpus = new TreeMap<>();
  private final SortedMap<Integer, Integer> slices = new TreeMap<>();

  void add(Member member) {
    ofEveryNode.merge(ResourceNames.CPU, member.request().cpuMilli(), Long::sum);
    ofEveryNode.merge(ResourceNames.MEMORY, member.request().memoryMiB(), Long::sum);
    ofEveryNode.merge(ResourceNames.PODS, member.request().pods(), Long::sum);
    member.request().extended().forEach((name, amount) -> extended.merge(name, amount, Long::sum));
    for (GpuShare share : member.gpus()) {
      if (share.slices() == 0) {
        gpus.merge(share.index(), (long) share.milli(), Long::sum);
      } else {
        slices.merge(share.index(), share.slices(), (a, b) -> a | b);
      }
    }
  }

  void add(Amounts other) {
    other.ofEveryNode.forEach((name, amount) -> ofEveryNode.merge(name, amount, Long::sum));
    other.extended.forEach((name, amount) -> extended.merge(name, amount, Long::sum));
    other.gpus.forEach((index, milli) -> gpus.merge(index, milli, Long::sum));
    other.slices.forEach((index, mask) -> slices.merge(index, mask, (a, b) -> a | b));
  }

  Amounts copy() {
    Amounts copy = new Amounts();
    copy.add(this);
    return copy;
  }

  /**
   * Subtracts the common amounts from both. Each slice exists once, but several reservations may
   * wait for the same slice.
   */
  void settle(Amounts other) {
    settle(ofEveryNode, other.ofEveryNode);
    settle(extended, other.extended);
    settle(gpus, other.gpus);
    slices.replaceAll((index, mask) -> mask & ~other.slices.getOrDefault(index, 0));
  }

  private static <K> void settle(Map<K, Long> one, Map<K, Long> other) {
    one.replaceAll((name, amount) -> {
      long both = Math.min(amount, other.getOrDefault(name, 0L));
      other.computeIfPresent(name, (n, there) -> there - both);
      return amount - both;
    });
  }

  long cpuMilli() {
    return ofEveryNode.getOrDefault(ResourceNames.CPU, 0L);
  }

  long memoryMiB() {
    return ofEveryNode.getOrDefault(ResourceNames.MEMORY, 0L);
  }

  long pods() {
    return ofEveryNode.getOrDefault(ResourceNames.PODS, 0L);
  }

  SortedMap<String, Long> extended() {
    return extended;
  }

  /** Returns thousandths of GPUs by slot of the node. */
  int[] milli(GpuSlots slots) {
    int[] bySlot = new int[slots.size()];
    gpus.forEach((index, milli) -> {
      int slot = slots.slotOf(index);
      if (slot >= 0) {
        bySlot[slot] = Math.toIntExact(milli);
      }
    });
    /* Running members still use the device in another form, so its rest is reserved. */
    slices.forEach((index, mask) -> {
      int slot = slots.slotOf(index);
      if (slot >= 0 && !slots.cuttable(slot)) {
        bySlot[slot] = Gpu.WHOLE_MILLI;
      }
    });
    return bySlot;
  }

  /**
   * Returns masks by slot of the node. The mask of a device that becomes whole or shared contains
   * all its remaining slices.
   */
  int[] slices(GpuSlots slots) {
    int[] bySlot = new int[slots.size()];
    slices.forEach((index, mask) -> {
      int slot = slots.slotOf(index);
      if (slot >= 0) {
        bySlot[slot] = mask;
      }
    });
    gpus.forEach((index, milli) -> {
      int slot = slots.slotOf(index);
      if (slot >= 0 && milli > 0 && slots.cut(slot)) {
        bySlot[slot] = MigGeometry.FULL;
      }
    });
    return bySlot;
  }
}
