package dev.fairlead.work.placement.node;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.MigSlices;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.placement.filter.NumaNodes;
import dev.fairlead.work.placement.gpu.GpuSlots;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.placement.shape.Neighbours;
import dev.fairlead.work.placement.topology.Levels;
import dev.fairlead.work.spec.PlacementSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Free capacity of one node in this cycle. */
public final class NodeCapacity {
  /** Name of a cluster's fabric in {@link #shortOf}. */
  public static final String FABRIC = "fabric";

  /** Name of terms of the job or of other jobs that close the node. */
  public static final String NEIGHBOURS = "neighbours";

  /** Name of the back-off that makes the job avoid the node after a recent failure. */
  public static final String BACK_OFF = "backing_off";

  /** Name of the reservation of the node as a spare. */
  public static final String SPARE = "kept_spare";

  private static final long NO_LIMIT = Integer.MAX_VALUE;
  private static final CapacityListener[] NO_LISTENERS = {};
  private final Cluster cluster;
  private final Node node;
  private final int rank;
  private final int[] domains;
  private final boolean open;
  private final GpuSlots slots;
  private final Extended extended;
  private final NeighbourCounts neighbours;
  private long cpu;
  private long memory;
  private long pods;
  private int version;
  private CapacityListener[] listeners = NO_LISTENERS;
  private boolean backsOff;
  private boolean spare;
  private boolean excluded;
  private @Nullable SortedMap<String, String> domainNames;

  /**
   * @param rank position by name in its cluster, the last tie-break
   * @param domains its domain at each level of its cluster
   * @param open whether its cluster, state and taints admit new members
   * @param neighbours members of the whole fleet
   */
  public NodeCapacity(
      Cluster cluster,
      Node node,
      int rank,
      int[] domains,
      boolean open,
      NeighbourCounts neighbours) {
    this.neighbours = neighbours;
    this.cluster = cluster;
    this.node = node;
    this.rank = rank;
    this.domains = domains;
    this.open = open;
    ResourceVector free = node.free();
    slots =
        new GpuSlots(
            oneOfEachIndex(node.gpus()),
            free.gpuMilli(),
            MigSlices.onDemand(cluster, node).orElse(null));
    extended = new Extended(free.extended());
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

  /** Returns the node's domain at a level of its cluster, -1 for none. */
  public int domain(int level) {
    return domains[level];
  }

  /** Returns a name of its domain that no other domain of the fleet has, null if none. */
  @Nullable String domain(String level) {
    SortedMap<String, String> names = domainNames;
    if (names == null) {
      names = new TreeMap<>();
      domainNames = names;
    }
    String name = names.computeIfAbsent(level, l -> Levels.path(cluster, node, l));
    return name.isEmpty() ? null : name;
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

  /** Returns the number of changes. */
  public int version() {
    return version;
  }

  public boolean hasGpus() {
    return !node.gpuModel().equals(Flavor.CPU);
  }

  /** Returns how many members fit now, 0 or more. */
  public int fits(MemberShape member) {
    return neighbours.admits(member.neighbours(), this) && !avoided(member)
        ? least(fitsDevices(member), member, cpu, memory, pods)
        : 0;
  }

  /**
   * Returns whether a recent failure closes the node to all jobs or to this one, or whether the
   * node is withheld.
   */
  private boolean avoided(MemberShape member) {
    return withheld() || backedOff(member);
  }

  private boolean backedOff(MemberShape member) {
    return backsOff || member.backsOff().containsKey(node.id());
  }

  public boolean spare() {
    return spare;
  }

  /** Returns whether the node is closed to all jobs, regardless of their requests. */
  public boolean withheld() {
    return backsOff || spare || excluded;
  }

  /** Sets whether the node is reserved as a spare. */
  public void spare(boolean now) {
    if (spare != now) {
      spare = now;
      change(0, 0, 0);
    }
  }

  /** Sets whether the node is excluded from a trial. */
  public void exclude(boolean now) {
    if (excluded != now) {
      excluded = now;
      change(0, 0, 0);
    }
  }

  /** Sets whether all jobs currently avoid the node. It still counts as the same node. */
  public void backOff(boolean now) {
    if (backsOff != now) {
      backsOff = now;
      change(0, 0, 0);
    }
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

  /**
   * Returns whether the member needs all its whole GPUs from one NUMA node. A fraction always comes
   * from one.
   */
  private static boolean aligned(MemberShape member) {
    return member.numa() == PlacementSpec.Numa.REQUIRED && member.wholeGpus() > 0;
  }

  /**
   * Adds (sign 1) or removes (sign -1) a member as a neighbour of other jobs.
   *
   * @param runs false for a member of a reservation
   */
  public void occupy(Neighbours its, boolean runs, int sign) {
    if (!its.any()) {
      neighbours.move(its, this, runs, sign);
      change(0, 0, 0);
    }
  }

  /** Returns whether the member requests MIG slices that are created on this node on demand. */
  boolean cuts(MemberShape member) {
    return member.gpu().kind() == GpuRequest.Kind.MIG && !cutBefore(member);
  }

  /**
   * Returns whether the member requests MIG slices that are preconfigured resources of this node.
   */
  private boolean cutBefore(MemberShape member) {
    return member.gpu().kind() == GpuRequest.Kind.MIG
        && MigSlices.onDemand(cluster, node).isEmpty();
  }

  /** Returns the resources that the member uses on this node. */
  ResourceVector request(MemberShape member) {
    return member.request(cluster, node);
  }

  /** Returns whether one member fits now. */
  public boolean takes(MemberShape member) {
    return cpu >= member.cpuMilli()
        && memory >= member.memoryMiB()
        && pods > 0
        && !avoided(member)
        && neighbours.admits(member.neighbours(), this)
        && (member.asksExtended() || aligned(member)
            ? fitsDevices(member) > 0
            : slots.takes(member.gpu(), node.gpuMemoryMiB()));
  }

  /** Returns how many members would fit on the idle node. */
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

  public static int least(long byGpu, MemberShape member, long cpu, long memory, long pods) {
    long least = Math.min(byGpu, pods);
    if (least > 0 && member.cpuMilli() > 0) {
      least = Math.min(least, cpu / member.cpuMilli());
    }
    if (least > 0 && member.memoryMiB() > 0) {
      least = Math.min(least, memory / member.memoryMiB());
    }
    return (int) Math.max(0, least);
  }

  /** Returns whether the node lacks the resource for one member. */
  public boolean shortOf(String resource, MemberShape member) {
    return switch (resource) {
      case ResourceNames.GPU -> cutBefore(member) ? fitsDevices(member) < 1 : fitsSlots(member) < 1;
      case BACK_OFF -> backedOff(member);
      case SPARE -> spare;
      case NEIGHBOURS -> !neighbours.admits(member.neighbours(), this);
      case FABRIC -> member.rdma() && fitsDevices(member) < 1 && fitsSlots(member) > 0;
      case ResourceNames.CPU -> cpu < member.cpuMilli();
      case ResourceNames.MEMORY -> memory < member.memoryMiB();
      default -> pods < 1;
    };
  }

  /** Returns (sign 1) or takes (sign -1) all resources of a member except its devices. */
  void change(MemberShape member, int sign) {
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
    for (CapacityListener listener : listeners) {
      listener.changed(rank);
    }
  }

  /** Simulates that a running member has left. Failed devices remain failed. */
  Undo vacate(Member member, Neighbours its) {
    int[] freed = new int[slots.size()];
    int[] uncut = new int[slots.size()];
    for (GpuShare share : member.gpus()) {
      int slot = slots.slotOf(share.index());
      if (slot >= 0 && slots.gpu(slot).usable() && share.slices() != 0) {
        uncut[slot] |= slots.taken(slot, share.slices());
      } else if (slot >= 0 && slots.gpu(slot).usable()) {
        freed[slot] += slots.freed(slot, share.milli());
      }
    }
    SlotAmounts all = new SlotAmounts(freed, uncut, member.request());
    occupy(its, true, -1);
    move(all, 1);
    return () -> {
      occupy(its, true, 1);
      move(all, -1);
    };
  }

  /** Returns the free part of the amounts. */
  SlotAmounts free(Amounts of) {
    return new SlotAmounts(
        slots.free(of.milli(slots)),
        slots.freeSlices(of.slices(slots)),
        new ResourceVector(
            Math.clamp(of.cpuMilli(), 0, Math.max(0, cpu)),
            Math.clamp(of.memoryMiB(), 0, Math.max(0, memory)),
            0,
            Math.clamp(of.pods(), 0, Math.max(0, pods)),
            extended.free(of.extended())));
  }

  /** Returns (sign 1) or takes (sign -1) the amounts. */
  void move(SlotAmounts amounts, int sign) {
    ResourceVector request = amounts.request();
    slots.move(amounts.milli(), sign);
    slots.moveSlices(amounts.slices(), -sign);
    extended.move(request.extended(), sign);
    change(sign * request.cpuMilli(), sign * request.memoryMiB(), sign * request.pods());
  }

  /** Registers a listener for changes. */
  public void listen(CapacityListener listener) {
    listeners = Arrays.copyOf(listeners, listeners.length + 1);
    listeners[listeners.length - 1] = listener;
  }
}
