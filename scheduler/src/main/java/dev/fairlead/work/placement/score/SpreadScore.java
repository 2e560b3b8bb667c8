package dev.fairlead.work.placement.score;

import dev.fairlead.work.placement.ledger.NodeCapacity;
import dev.fairlead.work.placement.shape.MemberShape;

/** The node with the most idle GPU, for members that are not to fall together. */
public final class SpreadScore implements NodeScore {
  @Override
  public long of(NodeCapacity capacity, MemberShape member) {
    return -capacity.slots().idleMilli();
  }
}
