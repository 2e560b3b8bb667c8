package dev.fairlead.work.placement.score;

import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.shape.MemberShape;

/**
 * Rates a node for one member. The lowest score wins. Ties are broken by the least idle GPU, then
 * the least idle CPU, then the name. A score depends only on the node and the member, so it is
 * cached until the node changes.
 */
public interface NodeScore {
  /**
   * Returns the score of a node on which the member fits, in an arbitrary unit, lower is better.
   */
  long of(NodeCapacity capacity, MemberShape member);

  /**
   * Returns the slot for a GPU fraction on a node on which it fits, -1 for a member without a
   * fraction.
   */
  default int slot(NodeCapacity capacity, MemberShape member) {
    return switch (member.gpu().kind()) {
      case NONE, WHOLE, MIG -> -1;
      case FRACTION, MEMORY ->
          capacity.slots().bestSlot(member.gpu().milliOn(capacity.node().gpuMemoryMiB()));
    };
  }
}
