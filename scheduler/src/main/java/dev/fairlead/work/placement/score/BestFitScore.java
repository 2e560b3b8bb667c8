package dev.fairlead.work.placement.score;

import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.shape.MemberShape;

/** Prefers the node with the least idle GPU, in thousandths of a device. */
public final class BestFitScore implements NodeScore {
  @Override
  public long of(NodeCapacity capacity, MemberShape member) {
    return capacity.slots().idleMilli();
  }
}
