package dev.fairlead.placement.ledger;

import dev.fairlead.job.AttemptId;
import dev.fairlead.job.GpuShare;
import dev.fairlead.job.Member;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** What is kept of one node for a reservation, less what is still to be freed for it there. */
public final class Kept {
  private long cpuMilli;
  private long memoryMiB;
  private long members;
  private final SortedMap<Integer, Integer> gpus = new TreeMap<>();
  private final SortedSet<AttemptId> leaving = new TreeSet<>();

  /** A member that is to start here. */
  public void add(Member member) {
    change(member, 1);
  }

  /** A member of an attempt that leaves for it: until it has, nothing is kept in its place. */
  public void leaving(AttemptId attempt, Member member) {
    leaving.add(attempt);
    change(member, -1);
  }

  /** A member has left (sign 1), or is back (sign -1): what was to come from it is kept now. */
  void left(AttemptId attempt, Member member, int sign) {
    if (leaving.contains(attempt)) {
      change(member, sign);
    }
  }

  private void change(Member member, int sign) {
    cpuMilli += sign * member.request().cpuMilli();
    memoryMiB += sign * member.request().memoryMiB();
    members += sign * member.request().pods();
    for (GpuShare share : member.gpus()) {
      gpus.merge(share.index(), sign * share.milli(), Integer::sum);
    }
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
    return bySlot;
  }
}
