package dev.fairlead.placement.ledger;

import dev.fairlead.placement.shape.MemberShape;
import java.util.List;

/** The nodes of a cluster as one cycle had them, by rank, without the nodes themselves. */
final class CapacitySnapshot {
  private final CapacityColumns columns;
  private final FilterCache refusals;
  private final boolean[] open;
  private final List<String> models;
  private final int[] modelOf;

  /**
   * @param open by rank, whether the node lets anything in
   * @param models of the nodes, each once
   * @param modelOf by rank, the position of its model
   */
  private CapacitySnapshot(
      CapacityColumns columns,
      FilterCache refusals,
      boolean[] open,
      List<String> models,
      int[] modelOf) {
    this.columns = columns;
    this.refusals = refusals;
    this.open = open;
    this.models = models;
    this.modelOf = modelOf;
  }

  static CapacitySnapshot of(
      List<NodeCapacity> rooms,
      List<String> models,
      FilterCache refusals,
      CapacityColumns columns) {
    boolean[] open = new boolean[rooms.size()];
    int[] modelOf = new int[rooms.size()];
    for (NodeCapacity room : rooms) {
      open[room.rank()] = room.open();
      modelOf[room.rank()] = models.indexOf(room.node().gpuModel());
    }
    return new CapacitySnapshot(columns, refusals, open, models, modelOf);
  }

  /** The same nodes with other figures. */
  CapacitySnapshot with(CapacityColumns other) {
    return new CapacitySnapshot(other, refusals, open, models, modelOf);
  }

  CapacityColumns columns() {
    return columns;
  }

  /** One who counts all nodes for one member. */
  Counter counter(MemberShape member, String model) {
    return new Counter(member, refusals.of(member), models.indexOf(model));
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

    /** Counts a node in (sign 1) or out (sign -1), from the columns. */
    void count(FitSums tally, int rank, int sign) {
      if (admits(tally, rank, sign)) {
        tally.plain(columns, rank, sign);
      }
    }

    /** Whether an open node admits the member; one that refuses it is counted. */
    boolean admits(FitSums tally, int rank, int sign) {
      if (!open[rank]) {
        return false;
      }
      int by = refusals.refusing(verdict, rank, member);
      boolean other = by < 0 && member.asksGpu() && modelOf[rank] != model;
      if (by >= 0) {
        tally.refused(by, sign);
      } else if (other) {
        tally.otherModel(sign);
      }
      return by < 0 && !other;
    }
  }
}
