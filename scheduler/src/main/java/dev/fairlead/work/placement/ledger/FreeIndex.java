package dev.fairlead.work.placement.ledger;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.placement.filter.Filters;
import dev.fairlead.work.placement.node.CapacityListener;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.shape.MemberShape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Open nodes of one model, indexed by free whole GPUs, so that a single member finds the fullest
 * suitable node without evaluating the others. Ties are broken by least idle GPU, least idle CPU,
 * and name. Changed nodes are sorted again before the next search.
 */
final class FreeIndex {
  private static final Comparator<Entry> FULLEST_FIRST =
      Comparator.comparingLong((Entry e) -> e.idleMilli)
          .thenComparingLong(e -> e.cpuMilli)
          .thenComparingInt(e -> e.rank);

  private final List<NodeCapacity> all;
  private final List<TreeSet<Entry>> byWhole = new ArrayList<>();
  private final TreeSet<Entry> shared =
      new TreeSet<>(Comparator.comparingInt((Entry e) -> e.whole).thenComparing(FULLEST_FIRST));
  private final ArrayList<Entry> stale = new ArrayList<>();

  FreeIndex(List<NodeCapacity> capacities) {
    all = capacities;
    for (NodeCapacity capacity : capacities) {
      Entry entry = new Entry(capacity);
      capacity.listen(entry);
      insert(entry);
    }
  }

  /** Returns the fullest node on which one member fits, null if none. */
  @Nullable NodeCapacity first(Cluster cluster, MemberShape member, WorkBudget work) {
    refresh();
    if (member.gpu().kind() == GpuRequest.Kind.MIG) {
      return fewestSlicesLeft(cluster, member, work);
    }
    boolean part = member.asksGpu() && member.gpu().kind() != GpuRequest.Kind.WHOLE;
    if (part) {
      NodeCapacity found = firstShared(cluster, member, work);
      if (found != null) {
        return found;
      }
    }
    for (int whole = part ? 1 : member.wholeGpus(); whole < byWhole.size(); whole++) {
      Entry from = new Entry((long) whole * Gpu.WHOLE_MILLI, member.cpuMilli());
      for (Entry entry : byWhole.get(whole).tailSet(from)) {
        work.spend(1);
        if (takes(cluster, entry.capacity(), member)) {
          return entry.capacity();
        }
      }
    }
    return null;
  }

  /**
   * Returns the node that partitions the fewest additional GPUs, then the one on which the fewest
   * such members fit.
   */
  private @Nullable NodeCapacity fewestSlicesLeft(
      Cluster cluster, MemberShape member, WorkBudget work) {
    NodeCapacity best = null;
    int least = Integer.MAX_VALUE;
    int leastOpened = Integer.MAX_VALUE;
    work.spend(all.size());
    for (NodeCapacity capacity : all) {
      int fits = takes(cluster, capacity, member) ? capacity.fits(member) : 0;
      int opens = fits == 0 ? 0 : capacity.slots().opens(member.gpu());
      boolean better = opens < leastOpened || opens == leastOpened && fits < least;
      if (fits > 0 && better) {
        best = capacity;
        least = fits;
        leastOpened = opens;
      }
    }
    return best;
  }

  /** Returns the node with the best slot for a fraction, among devices that are already shared. */
  private @Nullable NodeCapacity firstShared(Cluster cluster, MemberShape member, WorkBudget work) {
    NodeCapacity best = null;
    int least = Gpu.WHOLE_MILLI;
    for (Entry entry : shared) {
      work.spend(1);
      NodeCapacity capacity = entry.capacity();
      int slot = capacity.slots().bestSlot(member.gpu().milliOn(capacity.node().gpuMemoryMiB()));
      int free = slot < 0 ? Gpu.WHOLE_MILLI : capacity.slots().freeMilli(slot);
      if (free < least && takes(cluster, capacity, member)) {
        best = capacity;
        least = free;
      }
    }
    return best;
  }

  private static boolean takes(Cluster cluster, NodeCapacity capacity, MemberShape member) {
    return capacity.fits(member) > 0 && Filters.admit(cluster, capacity.node(), member);
  }

  private void refresh() {
    for (Entry entry : stale) {
      byWhole.get(entry.whole).remove(entry);
      shared.remove(entry);
      insert(entry);
    }
    stale.clear();
  }

  private void insert(Entry entry) {
    entry.read();
    while (byWhole.size() <= entry.whole) {
      byWhole.add(new TreeSet<>(FULLEST_FIRST));
    }
    byWhole.get(entry.whole).add(entry);
    if (entry.capacity().slots().shared()) {
      shared.add(entry);
    }
  }

  /** A node with its current sort keys, or a starting point for a search. */
  private final class Entry implements CapacityListener {
    private final @Nullable NodeCapacity capacity;
    private final int rank;
    private int whole;
    private long idleMilli;
    private long cpuMilli;
    private boolean touched;

    Entry(NodeCapacity capacity) {
      this.capacity = capacity;
      rank = capacity.rank();
    }

    Entry(long idleMilli, long cpuMilli) {
      capacity = null;
      rank = -1;
      this.idleMilli = idleMilli;
      this.cpuMilli = cpuMilli;
    }

    NodeCapacity capacity() {
      return Objects.requireNonNull(capacity);
    }

    @Override
    public void changed(int nodeRank) {
      if (!touched) {
        touched = true;
        stale.add(this);
      }
    }

    private void read() {
      whole = capacity().slots().freeWhole();
      idleMilli = capacity().slots().idleMilli();
      cpuMilli = capacity().freeCpuMilli();
      touched = false;
    }
  }
}
