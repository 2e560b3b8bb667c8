package dev.fairlead.placement.ledger;

import dev.fairlead.cluster.Gpu;
import dev.fairlead.job.AttemptId;
import dev.fairlead.job.GpuShare;
import dev.fairlead.job.Member;
import dev.fairlead.job.MemberKey;
import dev.fairlead.resources.MigGeometry;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/** What is kept of one node for a reservation, less what is still to be freed for it there. */
public final class Kept {
  private long cpuMilli;
  private long memoryMiB;
  private long members;
  private final SortedMap<Integer, Integer> gpus = new TreeMap<>();
  private final SortedMap<Integer, Integer> slices = new TreeMap<>();
  private final SortedMap<Integer, Integer> leavingSlices = new TreeMap<>();
  private final SortedMap<String, Long> extended = new TreeMap<>();
  private final SortedMap<AttemptId, SortedSet<MemberKey>> leaving = new TreeMap<>();

  /** A member that is to start here. */
  public void add(Member member) {
    change(member, 1);
    eachSlice(member, (gpu, mask) -> slices.merge(gpu, mask, (a, b) -> a | b));
  }

  /** A member of an attempt that leaves for it: until it has, nothing is kept in its place. */
  public void leaving(AttemptId attempt, Member member) {
    leaving.computeIfAbsent(attempt, a -> new TreeSet<>()).add(MemberKey.of(member));
    change(member, -1);
    slicesLeave(member, true);
  }

  /** A member has left (sign 1), or is back (sign -1): what was to come from it is kept now. */
  void left(AttemptId attempt, Member member, int sign) {
    SortedSet<MemberKey> members = leaving.get(attempt);
    if (members != null && members.contains(MemberKey.of(member))) {
      change(member, sign);
      slicesLeave(member, sign < 0);
    }
  }

  private void slicesLeave(Member member, boolean stillThere) {
    eachSlice(
        member,
        (gpu, mask) -> leavingSlices.merge(gpu, mask, (a, b) -> stillThere ? a | b : a & ~b));
  }

  private static void eachSlice(Member member, BiConsumer<Integer, Integer> to) {
    for (GpuShare share : member.gpus()) {
      if (share.slices() != 0) {
        to.accept(share.index(), share.slices());
      }
    }
  }

  private void change(Member member, int sign) {
    cpuMilli += sign * member.request().cpuMilli();
    memoryMiB += sign * member.request().memoryMiB();
    members += sign * member.request().pods();
    for (GpuShare share : member.gpus()) {
      if (share.slices() == 0) {
        gpus.merge(share.index(), sign * share.milli(), Integer::sum);
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
