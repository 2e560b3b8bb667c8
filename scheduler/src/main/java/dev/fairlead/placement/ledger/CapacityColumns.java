package dev.fairlead.placement.ledger;

import java.util.ArrayList;
import java.util.List;

/**
 * What is left on each node of a cluster, by rank: a count over all nodes reads these arrays
 * instead of ten thousand objects.
 */
final class CapacityColumns {
  private final long[] cpu;
  private final long[] memory;
  private final long[] pods;
  private final int[] whole;
  private final boolean[] avoided;
  private final boolean[] spare;
  private final NodeChangeLog changes;
  private int version;
  private final List<DirtyNodes> dirtySets = new ArrayList<>();

  /**
   * @param changes where each change is noted too
   */
  CapacityColumns(int nodes, NodeChangeLog changes) {
    cpu = new long[nodes];
    memory = new long[nodes];
    pods = new long[nodes];
    whole = new int[nodes];
    avoided = new boolean[nodes];
    spare = new boolean[nodes];
    this.changes = changes;
  }

  /** The node as it was read. */
  void begin(NodeCapacity capacity) {
    int rank = capacity.rank();
    cpu[rank] = capacity.freeCpuMilli();
    memory[rank] = capacity.freeMemoryMiB();
    pods[rank] = capacity.freePods();
    whole[rank] = capacity.slots().freeWhole();
    avoided[rank] = capacity.withheld();
    spare[rank] = capacity.spare();
  }

  /** Something was taken there or given back. */
  void changed(NodeCapacity capacity) {
    begin(capacity);
    version++;
    changes.add(capacity.rank());
    for (DirtyNodes dirty : dirtySets) {
      dirty.changed(capacity.rank());
    }
  }

  /** The same figures, which nothing changes any more. */
  CapacityColumns copy() {
    CapacityColumns copy = new CapacityColumns(cpu.length, new NodeChangeLog());
    System.arraycopy(cpu, 0, copy.cpu, 0, cpu.length);
    System.arraycopy(memory, 0, copy.memory, 0, memory.length);
    System.arraycopy(pods, 0, copy.pods, 0, pods.length);
    System.arraycopy(whole, 0, copy.whole, 0, whole.length);
    System.arraycopy(avoided, 0, copy.avoided, 0, avoided.length);
    System.arraycopy(spare, 0, copy.spare, 0, spare.length);
    return copy;
  }

  /** From now on tracks which nodes differ from another time. */
  DirtyNodes dirtySince(CapacityColumns then, int[] rankThen) {
    DirtyNodes dirty = new DirtyNodes(this, then, rankThen);
    dirtySets.add(dirty);
    return dirty;
  }

  /** How many nodes. */
  int size() {
    return cpu.length;
  }

  boolean same(int rank, CapacityColumns other, int otherRank) {
    return cpu[rank] == other.cpu[otherRank]
        && memory[rank] == other.memory[otherRank]
        && pods[rank] == other.pods[otherRank]
        && whole[rank] == other.whole[otherRank]
        && avoided[rank] == other.avoided[otherRank]
        && spare[rank] == other.spare[otherRank];
  }

  /** Counts the changes. */
  int version() {
    return version;
  }

  /** Thousandths of a core, negative where the node is over-committed. */
  long cpu(int rank) {
    return cpu[rank];
  }

  /** MiB. */
  long memory(int rank) {
    return memory[rank];
  }

  long pods(int rank) {
    return pods[rank];
  }

  /** Whether no job gets the node for now. */
  boolean avoided(int rank) {
    return avoided[rank];
  }

  /** Whether it is kept as a spare. */
  boolean spare(int rank) {
    return spare[rank];
  }

  /** GPUs that are free as a whole. */
  int whole(int rank) {
    return whole[rank];
  }
}
