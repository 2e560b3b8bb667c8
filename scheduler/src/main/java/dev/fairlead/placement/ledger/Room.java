package dev.fairlead.placement.ledger;

import dev.fairlead.cluster.Gpu;
import dev.fairlead.cluster.GpuState;
import dev.fairlead.cluster.Node;
import dev.fairlead.job.AttemptId;
import dev.fairlead.job.GpuShare;
import dev.fairlead.job.Member;
import dev.fairlead.placement.gpu.GpuSlots;
import dev.fairlead.placement.shape.MemberShape;
import dev.fairlead.resources.Flavor;
import dev.fairlead.resources.GpuRequest;
import dev.fairlead.resources.ResourceNames;
import dev.fairlead.resources.ResourceVector;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is left on one node in this cycle. */
public final class Room {
  private final Node node;
  private final int rank;
  private final int[] domains;
  private final boolean open;
  private final List<Gpu> gpus;
  private final GpuSlots slots;
  private long cpu;
  private long memory;
  private long pods;
  private final Changes changes;
  private int version;
  private FreeIndex.@Nullable Entry entry;
  private final List<Keep> keeps = new ArrayList<>(0);

  /**
   * @param rank position by name in its cluster, the last tie-break
   * @param domains its domain at each level of its cluster
   * @param open whether its cluster, state and taints let anything in
   * @param changes where it notes that it changed
   */
  Room(Node node, int rank, int[] domains, boolean open, Changes changes) {
    this.node = node;
    this.rank = rank;
    this.domains = domains;
    this.open = open;
    this.changes = changes;
    ResourceVector free = node.free();
    gpus = oneOfEachIndex(node.gpus());
    slots = new GpuSlots(gpus, free.gpuMilli());
    cpu = free.cpuMilli();
    memory = free.memoryMiB();
    pods = free.pods();
  }

  private static List<Gpu> oneOfEachIndex(List<Gpu> all) {
    List<Gpu> sorted = new ArrayList<>(all);
    sorted.sort(Comparator.comparingInt(Gpu::index).thenComparing(Gpu::toString));
    List<Gpu> once = new ArrayList<>(sorted.size());
    for (Gpu gpu : sorted) {
      if (once.isEmpty() || once.getLast().index() != gpu.index()) {
        once.add(gpu);
      }
    }
    return once;
  }

  public Node node() {
    return node;
  }

  public int rank() {
    return rank;
  }

  public boolean open() {
    return open;
  }

  /** Its domain at a level of its cluster, -1 where it has none. */
  public int domain(int level) {
    return domains[level];
  }

  public Gpu gpu(int slot) {
    return gpus.get(slot);
  }

  public GpuSlots slots() {
    return slots;
  }

  public long freeCpuMilli() {
    return cpu;
  }

  public long freeMemoryMiB() {
    return memory;
  }

  /** Counts what was taken and given back. */
  public int version() {
    return version;
  }

  public boolean hasGpus() {
    return !node.gpuModel().equals(Flavor.CPU);
  }

  /** Members that fit now, 0 or more. */
  public int fits(MemberShape member) {
    return least(slots.fits(member.gpu(), node.gpuMemoryMiB()), member, cpu, memory, pods);
  }

  /** Whether one member fits now. */
  public boolean takes(MemberShape member) {
    return cpu >= member.cpuMilli()
        && memory >= member.memoryMiB()
        && pods > 0
        && slots.takes(member.gpu(), node.gpuMemoryMiB());
  }

  /** Members that would fit if nothing ran here. */
  public int capacity(MemberShape member) {
    ResourceVector all = node.allocatable();
    return least(
        slots.capacity(member.gpu(), node.gpuMemoryMiB()),
        member,
        all.cpuMilli(),
        all.memoryMiB(),
        all.pods());
  }

  private static int least(int byGpu, MemberShape member, long cpu, long memory, long pods) {
    long least = Math.min(byGpu, pods);
    if (least > 0 && member.cpuMilli() > 0) {
      least = Math.min(least, cpu / member.cpuMilli());
    }
    if (least > 0 && member.memoryMiB() > 0) {
      least = Math.min(least, memory / member.memoryMiB());
    }
    return (int) Math.max(0, least);
  }

  /** Whether there is not enough of the resource for one member. */
  public boolean shortOf(String resource, MemberShape member) {
    return switch (resource) {
      case ResourceNames.GPU -> slots.fits(member.gpu(), node.gpuMemoryMiB()) < 1;
      case ResourceNames.CPU -> cpu < member.cpuMilli();
      case ResourceNames.MEMORY -> memory < member.memoryMiB();
      default -> pods < 1;
    };
  }

  Taken take(MemberShape member) {
    GpuRequest gpu = member.gpu();
    int[] taken = slots.take(gpu, node.gpuMemoryMiB());
    return took(member, taken);
  }

  /** As {@link #take}, a part of a GPU on the given slot. */
  Taken take(MemberShape member, int slot) {
    GpuRequest gpu = member.gpu();
    int each = GpuSlots.milliEach(gpu, node.gpuMemoryMiB());
    return took(member, slots.takePart(slot, each));
  }

  private Taken took(MemberShape member, int[] taken) {
    change(member, -1);
    return new Taken(this, member, taken, GpuSlots.milliEach(member.gpu(), node.gpuMemoryMiB()));
  }

  void give(MemberShape member, int[] taken, int milliEach) {
    slots.give(taken, milliEach);
    change(member, 1);
  }

  private void change(MemberShape member, int sign) {
    change(sign * member.cpuMilli(), sign * member.memoryMiB(), sign);
  }

  private void change(long cpuMilli, long memoryMiB, long members) {
    cpu += cpuMilli;
    memory += memoryMiB;
    pods += members;
    version++;
    changes.add(rank);
    if (entry != null) {
      entry.touch();
    }
  }

  /**
   * As if the member of a running attempt were gone; devices that failed stay as they are, and what
   * is kept here for others takes of it what it lacked.
   */
  public Undo vacate(AttemptId attempt, Member member) {
    int[] freed = new int[slots.size()];
    keeps.forEach(Keep::loose);
    for (GpuShare share : member.gpus()) {
      int slot = slotOf(share.index());
      if (slot >= 0 && usable(gpus.get(slot))) {
        freed[slot] += slots.freed(slot, share.milli());
      }
    }
    vacated(attempt, member, freed, 1);
    return () -> {
      keeps.forEach(Keep::loose);
      vacated(attempt, member, freed, -1);
    };
  }

  private void vacated(AttemptId attempt, Member member, int[] freed, int sign) {
    move(freed, member.request(), sign);
    for (Keep keep : keeps) {
      keep.wanted.left(attempt, member, sign);
      keep.hold();
    }
  }

  private void move(int[] milli, ResourceVector of, int sign) {
    slots.move(milli, sign);
    change(sign * of.cpuMilli(), sign * of.memoryMiB(), sign * of.pods());
  }

  /**
   * Keeps so much of what is free from others, as far as it is free, and of what comes free while
   * it is kept; who was first keeps first.
   */
  public Undo keep(Kept kept) {
    Keep keep = new Keep(kept);
    keep.hold();
    keeps.add(keep);
    return () -> {
      keeps.remove(keep);
      keep.loose();
    };
  }

  /** What is kept, as far as it is there. */
  private final class Keep {
    private final Kept wanted;
    private int[] milli = new int[0];
    private ResourceVector of = ResourceVector.ZERO;

    Keep(Kept wanted) {
      this.wanted = wanted;
    }

    void hold() {
      milli = slots.free(wanted.gpus(Room.this));
      of =
          ResourceVector.of(
              Math.clamp(wanted.cpuMilli(), 0, Math.max(0, cpu)),
              Math.clamp(wanted.memoryMiB(), 0, Math.max(0, memory)),
              0,
              Math.clamp(wanted.members(), 0, Math.max(0, pods)));
      move(milli, of, -1);
    }

    void loose() {
      move(milli, of, 1);
    }
  }

  /** Position of the device of that index, -1 for none. */
  int slotOf(int index) {
    for (int slot = 0; slot < gpus.size(); slot++) {
      if (gpus.get(slot).index() == index) {
        return slot;
      }
    }
    return -1;
  }

  private static boolean usable(Gpu gpu) {
    return gpu.state() == GpuState.HEALTHY || gpu.state() == GpuState.DEGRADED;
  }

  void indexedBy(FreeIndex.Entry of) {
    entry = of;
  }
}
