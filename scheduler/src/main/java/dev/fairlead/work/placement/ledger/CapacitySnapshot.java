package dev.fairlead.work.placement.ledger;

import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.shape.MemberShape;
import java.util.List;

/**
 * The nodes of a cluster at the time of one cycle, by rank, without references to the node objects.
 */
final class CapacitySnapshot {
  private final CapacityColumns columns;
  private final FilterCache filters;
  private final boolean[] open;
  private final List<String> models;
  private final int[] modelOf;

  /**
   * @param open by rank, whether the node admits new members
   * @param models models of the nodes, each once
   * @param modelOf by rank, the position of its model
   */
  private CapacitySnapshot(
      CapacityColumns columns,
      FilterCache filters,
      boolean[] open,
      List<String> models,
      int[] modelOf) {
    this.columns = columns;
    this.filters = filters;
    this.open = open;
    this.models = models;
    this.modelOf = modelOf;
  }

  static CapacitySnapshot of(
      List<NodeCapacity> capacities,
      List<String> models,
      FilterCache filters,
      CapacityColumns columns) {
    boolean[] open = new boolean[capacities.size()];
    int[] modelOf = new int[capacities.size()];
    for (NodeCapacity capacity : capacities) {
      open[capacity.rank()] = capacity.open();
      modelOf[capacity.rank()] = models.indexOf(capacity.node().gpuModel());
    }
    return new CapacitySnapshot(columns, filters, open, models, modelOf);
  }

  /** Returns the same nodes with other amounts. */
  CapacitySnapshot with(CapacityColumns other) {
    return new CapacitySnapshot(other, filters, open, models, modelOf);
  }

  CapacityColumns columns() {
    return columns;
  }

  /** Returns a counter of all nodes for one member. */
  Counter counter(MemberShape member, String model) {
    return new Counter(member, filters.of(member), models.indexOf(model));
  }

  /** Counts nodes for one member. */
  final class Counter {
    private final MemberShape member;
    private final byte[] verdict;
    private final int model;

    Counter(MemberShape member, byte[] verdict, int model) {
      this.member = member;
      this.verdict = verdict;
      this.model = model;
    }

    /** Adds (sign 1) or removes (sign -1) a node, using the columns. */
    void count(FitSums sums, int rank, int sign) {
      if (admits(sums, rank, sign)) {
        sums.plain(columns, rank, sign);
      }
    }

    /** Returns whether an open node admits the member, and counts a refusal. */
    boolean admits(FitSums sums, int rank, int sign) {
      if (!open[rank]) {
        return false;
      }
      int by = filters.refusing(verdict, rank, member);
      boolean other = by < 0 && member.asksGpu() && modelOf[rank] != model;
      if (by >= 0) {
        sums.refused(by, sign);
      } else if (other) {
        sums.otherModel(sign);
      }
      return by < 0 && !other;
    }
  }
}
