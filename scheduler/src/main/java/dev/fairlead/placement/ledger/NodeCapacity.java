package dev.fairlead.placement.ledger;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.Gpu;
import dev.fairlead.cluster.MigSlices;
import dev.fairlead.cluster.Node;
import dev.fairlead.job.AttemptId;
import dev.fairlead.job.GpuShare;
import dev.fairlead.job.Member;
import dev.fairlead.job.MemberKey;
import dev.fairlead.job.PlacementSpec;
import dev.fairlead.placement.filter.NumaNodes;
import dev.fairlead.placement.gpu.GpuSlots;
import dev.fairlead.placement.shape.AntiAffinity;
import dev.fairlead.placement.shape.MemberShape;
import dev.fairlead.resources.Flavor;
import dev.fairlead.resources.GpuRequest;
import dev.fairlead.resources.ResourceNames;
import dev.fairlead.resources.ResourceVector;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is left on one node in this cycle. */
public final class NodeCapacity {
  /** What {@link #shortOf} calls the fabric of a cluster. */
  public static final String FABRIC = "fabric";

  /** The name of anti-affinity between the member and jobs on the node. */
  public static final String ANTI_AFFINITY = "neighbours";

  /** The name of a node that a recent failure makes the job avoid. */
  public static final String BACK_OFF = "backing_off";

  /** What it calls that the node is kept as a spare. */
  public static final String SPARE = "kept_spare";

  private static final long NO_LIMIT = Integer.MAX_VALUE;
  private static final int[] NO_SLICES = {};
  private static final Amounts NOTHING = new Amounts();
  private final Cluster cluster;
  private final Node node;
  private final int rank;
  private final int[] domains;
  private final boolean open;
  private final List<Gpu> gpus;
  private final GpuSlots slots;
  private final Extended extended;
  private final NodeJobClasses jobClasses = new NodeJobClasses();
  private long cpu;
  private long memory;
  private long pods;
  private final CapacityColumns columns;
  private int version;
  private FreeIndex.@Nullable Entry entry;
  private final NodeReservations reservations = new NodeReservations();
  private final List<ReservationHandle> handles = new ArrayList<>(0);
  private boolean backsOff;
  private boolean spare;
  private boolean excluded;

  /**
   * @param rank position by name in its cluster, the last tie-break
   * @param domains its domain at each level of its cluster
   * @param open whether its cluster, state and taints let anything in
   * @param columns where it writes what it has left
   */
  NodeCapacity(
      Cluster cluster, Node node, int rank, int[] domains, boolean open, CapacityColumns columns) {
    this.cluster = cluster;
    this.node = node;
    this.rank = rank;
    this.domains = domains;
    this.open = open;
    this.columns = columns;
    ResourceVector free = node.free();
    gpus = oneOfEachIndex(node.gpus());
    slots = new GpuSlots(gpus, free.gpuMilli(), MigSlices.onDemand(cluster, node).orElse(null));
    extended = new Extended(free.extended());
    cpu = free.cpuMilli();
    memory = free.memoryMiB();
    pods = free.pods();
    columns.begin(this);
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

  public long freePods() {
    return pods;
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
    return jobClasses.admits(member.antiAffinity()) && !avoided(member) ? membersLeft(member) : 0;
  }

  /** Whether no job, or not this one, gets the node because of a recent failure. */
  private boolean avoided(MemberShape member) {
    return withheld() || backedOff(member);
  }

  private boolean backedOff(MemberShape member) {
    return backsOff || member.backsOff().containsKey(node.id());
  }

  boolean backsOff() {
    return backsOff;
  }

  boolean spare() {
    return spare;
  }

  /** Whether no job gets it, whatever it asks. */
  boolean withheld() {
    return backsOff || spare || excluded;
  }

  /** Whether it is kept as a spare for now. */
  void spare(boolean now) {
    if (spare != now) {
      spare = now;
      change(0, 0, 0);
    }
  }

  /** Whether it is left out of a trial. */
  void exclude(boolean now) {
    if (excluded != now) {
      excluded = now;
      change(0, 0, 0);
    }
  }

  /** Whether no job gets it for now; empty, it is the same node. */
  void backOff(boolean now) {
    if (backsOff != now) {
      backsOff = now;
      change(0, 0, 0);
    }
  }

  private int membersLeft(MemberShape member) {
    return least(fitsDevices(member), member, cpu, memory, pods);
  }

  private long fitsDevices(MemberShape member) {
    long byGpu = fitsSlots(member);
    return member.asksExtended()
        ? Math.min(byGpu, extended.fits(member.extended(cluster, node)))
        : byGpu;
  }

  private long fitsSlots(MemberShape member) {
    if (cutBefore(member)) {
      return NO_LIMIT;
    }
    return aligned(member)
        ? slots.fitsAligned(member.gpu(), NumaNodes.of(node))
        : slots.fits(member.gpu(), node.gpuMemoryMiB());
  }

  /** Whether it must have its whole GPUs from one NUMA node; a part of one is from one anyway. */
  private static boolean aligned(MemberShape member) {
    return member.numa() == PlacementSpec.Numa.REQUIRED && member.wholeGpus() > 0;
  }

  /** A member that is here already. */
  void occupy(AntiAffinity antiAffinity) {
    jobClasses.move(antiAffinity, 1);
  }

  /** Whether it asks for slices that are resources of the node here. */
  private boolean cutBefore(MemberShape member) {
    return member.gpu().kind() == GpuRequest.Kind.MIG
        && MigSlices.onDemand(cluster, node).isEmpty();
  }

  /** What the member holds of this node. */
  ResourceVector request(MemberShape member) {
    return member.request(cluster, node);
  }

  /** Whether one member fits now. */
  public boolean takes(MemberShape member) {
    return cpu >= member.cpuMilli()
        && memory >= member.memoryMiB()
        && pods > 0
        && !avoided(member)
        && jobClasses.admits(member.antiAffinity())
        && (member.asksExtended() || aligned(member)
            ? fitsDevices(member) > 0
            : slots.takes(member.gpu(), node.gpuMemoryMiB()));
  }

  /** Members that would fit if nothing ran here. */
  public int capacity(MemberShape member) {
    ResourceVector all = node.allocatable();
    long byGpu =
        cutBefore(member)
            ? NO_LIMIT
            : aligned(member)
                ? slots.capacityAligned(member.gpu(), NumaNodes.of(node))
                : slots.capacity(member.gpu(), node.gpuMemoryMiB());
    return least(
        Math.min(byGpu, Extended.fits(all.extended(), member.extended(cluster, node))),
        member,
        all.cpuMilli(),
        all.memoryMiB(),
        all.pods());
  }

  static int least(long byGpu, MemberShape member, long cpu, long memory, long pods) {
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
      case ResourceNames.GPU -> cutBefore(member) ? fitsDevices(member) < 1 : fitsSlots(member) < 1;
      case BACK_OFF -> backedOff(member);
      case SPARE -> spare;
      case ANTI_AFFINITY -> !jobClasses.admits(member.antiAffinity());
      case FABRIC -> member.rdma() && fitsDevices(member) < 1 && fitsSlots(member) > 0;
      case ResourceNames.CPU -> cpu < member.cpuMilli();
      case ResourceNames.MEMORY -> memory < member.memoryMiB();
      default -> pods < 1;
    };
  }

  NodeAllocation take(MemberShape member) {
    GpuRequest gpu = member.gpu();
    boolean cuts = gpu.kind() == GpuRequest.Kind.MIG && !cutBefore(member);
    int[] slices = cuts ? slots.takeSlices(gpu) : NO_SLICES;
    int[] taken =
        member.numa() != PlacementSpec.Numa.NONE && member.wholeGpus() > 0
            ? slots.takeAligned(gpu, NumaNodes.of(node))
            : slots.take(gpu, node.gpuMemoryMiB());
    return took(member, taken, slices);
  }

  /** As {@link #take}, a part of a GPU on the given slot. */
  NodeAllocation take(MemberShape member, int slot) {
    GpuRequest gpu = member.gpu();
    int each = GpuSlots.milliEach(gpu, node.gpuMemoryMiB());
    return took(member, slots.takePart(slot, each), NO_SLICES);
  }

  private NodeAllocation took(MemberShape member, int[] taken, int[] slices) {
    change(member, -1);
    int each = GpuSlots.milliEach(member.gpu(), node.gpuMemoryMiB());
    return new NodeAllocation(this, member, taken, each, slices);
  }

  void give(MemberShape member, int[] taken, int milliEach, int[] slices) {
    slots.give(taken, milliEach);
    slots.moveSlices(slices, -1);
    change(member, 1);
  }

  private void change(MemberShape member, int sign) {
    jobClasses.move(member.antiAffinity(), -sign);
    if (member.asksExtended()) {
      extended.move(member.extended(cluster, node), sign);
    }
    change(sign * member.cpuMilli(), sign * member.memoryMiB(), sign);
  }

  private void change(long cpuMilli, long memoryMiB, long members) {
    cpu += cpuMilli;
    memory += memoryMiB;
    pods += members;
    version++;
    columns.changed(this);
    if (entry != null) {
      entry.touch();
    }
  }

  /**
   * As if the member of a running attempt were gone; devices that failed stay as they are, and what
   * is kept here for others takes of it what it lacked.
   */
  public Undo vacate(AttemptId attempt, Member member, AntiAffinity antiAffinity) {
    int[] freed = new int[slots.size()];
    int[] uncut = new int[slots.size()];
    NodeReservation.LeavingMember leavingMember =
        new NodeReservation.LeavingMember(attempt, MemberKey.of(member));
    liftReservations();
    for (GpuShare share : member.gpus()) {
      int slot = slotOf(share.index());
      if (slot >= 0 && gpus.get(slot).usable() && share.slices() != 0) {
        uncut[slot] |= slots.taken(slot, share.slices());
      } else if (slot >= 0 && gpus.get(slot).usable()) {
        freed[slot] += slots.freed(slot, share.milli());
      }
    }
    jobClasses.move(antiAffinity, -1);
    reservations.gone(leavingMember, true);
    move(freed, uncut, member.request(), 1);
    applyReservations();
    return () -> {
      liftReservations();
      jobClasses.move(antiAffinity, 1);
      reservations.gone(leavingMember, false);
      move(freed, uncut, member.request(), -1);
      applyReservations();
    };
  }

  /** Gives (sign 1) or takes (sign -1). */
  private void move(int[] milli, int[] slices, ResourceVector of, int sign) {
    slots.move(milli, sign);
    slots.moveSlices(slices, -sign);
    extended.move(of.extended(), sign);
    change(sign * of.cpuMilli(), sign * of.memoryMiB(), sign * of.pods());
  }

  /**
   * Reserves what is free, and what comes free while the reservation lasts. Where that is not
   * enough for all reservations, {@link NodeReservation#RANK} decides.
   *
   * @param antiAffinity of the members to come: jobs that they avoid, or that avoid them, do not
   *     start here before
   */
  public ReservationHandle reserve(NodeReservation reservation, AntiAffinity antiAffinity) {
    ReservationHandle handle = new ReservationHandle(reservation, antiAffinity);
    liftReservations();
    jobClasses.move(antiAffinity, 1);
    reservations.add(reservation);
    handles.add(handle);
    handles.sort(Comparator.comparing(h -> h.reservation, NodeReservation.RANK));
    applyReservations();
    return handle;
  }

  private void applyReservations() {
    if (handles.isEmpty()) {
      return;
    }
    Map<NodeReservation, Amounts> lacking = reservations.lacking();
    handles.forEach(handle -> handle.apply(lacking.getOrDefault(handle.reservation, NOTHING)));
    handles.stream().filter(handle -> handle.lent).forEach(handle -> handle.give(1));
  }

  private void liftReservations() {
    handles.stream().filter(handle -> !handle.lent).forEach(handle -> handle.give(1));
  }

  /** What is kept, as far as it is there. */
  public final class ReservationHandle {
    private final NodeReservation reservation;
    private final AntiAffinity antiAffinity;
    private int[] milli = NO_SLICES;
    private int[] slices = NO_SLICES;
    private ResourceVector of = ResourceVector.ZERO;
    private boolean lent;

    ReservationHandle(NodeReservation reservation, AntiAffinity antiAffinity) {
      this.reservation = reservation;
      this.antiAffinity = antiAffinity;
    }

    /** Leaves it free for now; what is kept for others stays as it is. */
    public void lend() {
      lent = true;
      jobClasses.move(antiAffinity, -1);
      give(1);
    }

    /** Keeps it again, as far as it is still there. */
    public void restore() {
      liftReservations();
      lent = false;
      jobClasses.move(antiAffinity, 1);
      applyReservations();
    }

    /** For good. */
    public void end() {
      liftReservations();
      if (!lent) {
        jobClasses.move(antiAffinity, -1);
      }
      reservations.remove(reservation);
      handles.remove(this);
      applyReservations();
    }

    private void apply(Amounts lacking) {
      milli = slots.free(lacking.milli(NodeCapacity.this));
      slices = slots.freeSlices(lacking.slices(NodeCapacity.this));
      of =
          new ResourceVector(
              Math.clamp(lacking.cpuMilli(), 0, Math.max(0, cpu)),
              Math.clamp(lacking.memoryMiB(), 0, Math.max(0, memory)),
              0,
              Math.clamp(lacking.pods(), 0, Math.max(0, pods)),
              extended.free(lacking.extended()));
      give(-1);
    }

    /** Gives (sign 1) or takes (sign -1). */
    private void give(int sign) {
      move(milli, slices, of, sign);
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

  void indexedBy(FreeIndex.Entry of) {
    entry = of;
  }
}
