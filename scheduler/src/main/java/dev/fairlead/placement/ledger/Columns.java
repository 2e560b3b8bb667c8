package dev.fairlead.placement.ledger;

/**
 * What is left on each node of a cluster, by rank: a count over all nodes reads these arrays
 * instead of ten thousand objects.
 */
final class Columns {
  private final long[] cpu;
  private final long[] memory;
  private final long[] pods;
  private final int[] whole;
  private final Changes changes;
  private int version;

  /**
   * @param changes where each change is noted too
   */
  Columns(int nodes, Changes changes) {
    cpu = new long[nodes];
    memory = new long[nodes];
    pods = new long[nodes];
    whole = new int[nodes];
    this.changes = changes;
  }

  /** The node as it was read. */
  void begin(Room room) {
    int rank = room.rank();
    cpu[rank] = room.freeCpuMilli();
    memory[rank] = room.freeMemoryMiB();
    pods[rank] = room.freePods();
    whole[rank] = room.slots().freeWhole();
  }

  /** Something was taken there or given back. */
  void changed(Room room) {
    begin(room);
    version++;
    changes.add(room.rank());
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

  /** GPUs that are free as a whole. */
  int whole(int rank) {
    return whole[rank];
  }
}
