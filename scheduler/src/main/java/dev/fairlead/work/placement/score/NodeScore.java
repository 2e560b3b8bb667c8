package dev.fairlead.work.placement.score;

import dev.fairlead.work.placement.ledger.NodeCapacity;
import dev.fairlead.work.placement.shape.MemberShape;

/**
 * How good a node is for one member: the lowest score is taken, ties go to the least idle GPU, then
 * the least idle cpu, then the name. A score depends on nothing but the node and the member, so it
 * is kept until the node changes.
 */
public interface NodeScore {
  /** Score of a node on which the member fits, in a unit of its own; lower is better. */
  long of(NodeCapacity capacity, MemberShape member);

  /** The slot for a part of a GPU on a node on which it fits; -1 for a member that asks no part. */
  default int slot(NodeCapacity capacity, MemberShape member) {
    return switch (member.gpu().kind()) {
      case NONE, WHOLE, MIG -> -1;
      case FRACTION, MEMORY ->
          capacity.slots().bestSlot(member.gpu().milliOn(capacity.node().gpuMemoryMiB()));
    };
  }
}
