package dev.fairlead.placement.ledger;

import dev.fairlead.cluster.Gpu;
import dev.fairlead.job.GpuShare;
import dev.fairlead.job.Member;
import dev.fairlead.placement.shape.MemberShape;
import dev.fairlead.resources.Flavor;
import java.util.ArrayList;
import java.util.List;

/** What one member took of a node. */
public final class NodeAllocation implements Undo {
  private final NodeCapacity capacity;
  private final MemberShape shape;
  private final int[] slots;
  private final int milliEach;
  private final int[] slices;

  /**
   * @param slices masks by slot, empty for none
   */
  NodeAllocation(
      NodeCapacity capacity, MemberShape shape, int[] slots, int milliEach, int[] slices) {
    this.capacity = capacity;
    this.shape = shape;
    this.slots = slots;
    this.milliEach = milliEach;
    this.slices = slices;
  }

  public NodeCapacity capacity() {
    return capacity;
  }

  public MemberShape shape() {
    return shape;
  }

  /** The member as it is to be stored. */
  public Member member(int index, Flavor flavor) {
    List<GpuShare> shares = new ArrayList<>(slots.length);
    for (int slot : slots) {
      Gpu gpu = capacity.gpu(slot);
      shares.add(new GpuShare(gpu.index(), gpu.serial(), milliEach));
    }
    for (int slot = 0; slot < slices.length; slot++) {
      if (slices[slot] != 0) {
        Gpu gpu = capacity.gpu(slot);
        int milli = capacity.slots().milli(slices[slot]);
        shares.add(new GpuShare(gpu.index(), gpu.serial(), milli, slices[slot]));
      }
    }
    return Member.planned(
        shape.name(),
        index,
        capacity.node().id(),
        capacity.node().name(),
        flavor,
        capacity.request(shape),
        shares);
  }

  @Override
  public void run() {
    capacity.give(shape, slots, milliEach, slices);
  }
}
