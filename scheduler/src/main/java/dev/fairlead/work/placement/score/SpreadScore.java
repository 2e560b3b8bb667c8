package dev.fairlead.work.placement.score;

import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.shape.MemberShape;

/** Prefers the node with the most idle GPU, to spread members. */
public final class SpreadScore implements NodeScore {
  @Override
  public long of(NodeCapacity capacity, MemberShape member) {
    return -capacity.slots().idleMilli();
  }
}
