package dev.fairlead.work.placement.ledger;

import dev.fairlead.work.placement.node.CapacityListener;
import dev.fairlead.work.placement.node.NodeCapacity;
import java.util.ArrayList;
import java.util.List;

/**
 * The free amounts of each node of a cluster, by rank. A count over all nodes reads these arrays
 * instead of ten thousand objects.
 */
final class CapacityColumns implements CapacityListener {
  private final List<NodeCapacity> capacities;
  private final long[] cpu;
  private final long[] memory;
  private final long[] pods;
  private final int[] whole;
  private final boolean[] avoided;
  private final boolean[] spare;
  private final List<CapacityListener> listeners = new ArrayList<>(1);
  private int version;

  /**
   * @param capacities by rank
   */
  CapacityColumns(List<NodeCapacity> capacities) {
    this(capacities, capacities.size());
    for (NodeCapacity capacity : capacities) {
      read(capacity);
    }
  }

  private CapacityColumns(List<NodeCapacity> capacities, int nodes) {
    this.capacities = capacities;
    cpu = new long[nodes];
    memory = new long[nodes];
    pods = new long[nodes];
    whole = new int[nodes];
    avoided = new boolean[nodes];
    spare = new boolean[nodes];
  }

  private void read(NodeCapacity capacity) {
    int rank = capacity.rank();
    cpu[rank] = capacity.freeCpuMilli();
    memory[rank] = capacity.freeMemoryMiB();
    pods[rank] = capacity.freePods();
    whole[rank] = capacity.slots().freeWhole();
    avoided[rank] = capacity.withheld();
    spare[rank] = capacity.spare();
  }

  @Override
  public void changed(int rank) {
    read(capacities.get(rank));
    version++;
    for (CapacityListener listener : listeners) {
      listener.changed(rank);
    }
  }

  /** Registers a listener, which is called after the columns have been updated. */
  void listen(CapacityListener listener) {
    listeners.add(listener);
  }

  /** Returns an immutable copy of the amounts. */
  CapacityColumns copy() {
    CapacityColumns copy = new CapacityColumns(List.of(), cpu.length);
    System.arraycopy(cpu, 0, copy.cpu, 0, cpu.length);
    System.arraycopy(memory, 0, copy.memory, 0, memory.length);
    System.arraycopy(pods, 0, copy.pods, 0, pods.length);
    System.arraycopy(whole, 0, copy.whole, 0, whole.length);
    System.arraycopy(avoided, 0, copy.avoided, 0, avoided.length);
    System.arraycopy(spare, 0, copy.spare, 0, spare.length);
    return copy;
  }

  /** Returns the number of nodes. */
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

  /** Returns the number of changes. */
  int version() {
    return version;
  }

  /** Returns thousandths of a core, negative if the node is over-committed. */
  long cpu(int rank) {
    return cpu[rank];
  }

  /** Returns MiB. */
  long memory(int rank) {
    return memory[rank];
  }

  long pods(int rank) {
    return pods[rank];
  }

  /** Returns whether no job may use the node now. */
  boolean avoided(int rank) {
    return avoided[rank];
  }

  /** Returns whether the node is reserved as a spare. */
  boolean spare(int rank) {
    return spare[rank];
  }

  /** Returns the number of entirely free GPUs. */
  int whole(int rank) {
    return whole[rank];
  }
}
