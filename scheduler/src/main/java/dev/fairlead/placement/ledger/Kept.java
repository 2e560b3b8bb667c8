package dev.fairlead.placement.ledger;

import dev.fairlead.cluster.Gpu;
import dev.fairlead.job.GpuShare;
import dev.fairlead.job.Member;
import dev.fairlead.resources.MigGeometry;
import java.util.SortedMap;
import java.util.TreeMap;

/** What is kept of one node for a reservation, less what is still to be freed for it there. */
public final class Kept {
  private long cpuMilli;
  private long memoryMiB;
  private long members;
  private final SortedMap<Integer, Integer> gpus = new TreeMap<>();
  private final SortedMap<Integer, Integer> slices = new TreeMap<>();
  private final SortedMap<Integer, Integer> leavingSlices = new TreeMap<>();
  private final SortedMap<String, Long> extended = new TreeMap<>();

  /** A member that is to start here. */
  public void add(Member member) {
    change(member, 1);
  }

  /** A member that leaves for it: until it has, nothing needs to be kept in its place. */
  public void leaving(Member member) {
    change(member, -1);
  }

  private void change(Member member, int sign) {
    cpuMilli += sign * member.request().cpuMilli();
    memoryMiB += sign * member.request().memoryMiB();
    members += sign * member.request().pods();
    for (GpuShare share : member.gpus()) {
      if (share.slices() == 0) {
        gpus.merge(share.index(), sign * share.milli(), Integer::sum);
      } else {
        SortedMap<Integer, Integer> which = sign > 0 ? slices : leavingSlices;
        which.merge(share.index(), share.slices(), (a, b) -> a | b);
      }
    }
    member
        .request()
        .extended()
        .forEach((name, amount) -> extended.merge(name, sign * amount, Long::sum));
  }

  /** By name; negative where more leaves than starts. */
  SortedMap<String, Long> extended() {
    return extended;
  }

  long cpuMilli() {
    return cpuMilli;
  }

  long memoryMiB() {
    return memoryMiB;
  }

  long members() {
    return members;
  }

  /** Thousandths by slot of the node. */
  int[] gpus(Room room) {
    int[] bySlot = new int[room.slots().size()];
    gpus.forEach((index, milli) -> {
      int slot = room.slotOf(index);
      if (slot >= 0) {
        bySlot[slot] = Math.max(0, milli);
      }
    });
    // slices on a device that is shared otherwise until its holders leave: the rest of it is kept
    slices.forEach((index, mask) -> {
      int slot = room.slotOf(index);
      if (slot >= 0 && !room.slots().cuttable(slot)) {
        bySlot[slot] = Gpu.WHOLE_MILLI;
      }
    });
    return bySlot;
  }

  /** Masks by slot of the node: all that is left of a device that is to be whole or shared. */
  int[] slices(Room room) {
    int[] bySlot = new int[room.slots().size()];
    slices.forEach((index, mask) -> {
      int slot = room.slotOf(index);
      if (slot >= 0) {
        bySlot[slot] = mask & ~leavingSlices.getOrDefault(index, 0);
      }
    });
    gpus.forEach((index, milli) -> {
      int slot = room.slotOf(index);
      if (slot >= 0 && milli > 0 && room.slots().cut(slot)) {
        bySlot[slot] = MigGeometry.FULL;
      }
    });
    return bySlot;
  }
}
