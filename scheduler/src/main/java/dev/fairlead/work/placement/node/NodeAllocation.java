package dev.fairlead.work.placement.node;

import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.placement.filter.NumaNodes;
import dev.fairlead.work.placement.gpu.GpuSlots;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.spec.PlacementSpec;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The resources of one member on a node. */
public final class NodeAllocation implements Undo {
  private static final int[] NO_SLICES = {};

  private final NodeCapacity capacity;
  private final MemberShape shape;
  private final int[] slots;
  private final int milliEach;
  private final int[] slices;

  /**
   * @param slices masks by slot, empty if none
   */
  private NodeAllocation(
      NodeCapacity capacity, MemberShape shape, int[] slots, int milliEach, int[] slices) {
    this.capacity = capacity;
    this.shape = shape;
    this.slots = slots;
    this.milliEach = milliEach;
    this.slices = slices;
  }

  /** Takes the resources of one member from the node, which must have them. */
  public static NodeAllocation take(NodeCapacity capacity, MemberShape member) {
    GpuRequest gpu = member.gpu();
    GpuSlots slots = capacity.slots();
    int[] slices = capacity.cuts(member) ? slots.takeSlices(gpu) : NO_SLICES;
    int[] taken =
        member.numa() != PlacementSpec.Numa.NONE && member.wholeGpus() > 0
            ? slots.takeAligned(gpu, NumaNodes.of(capacity.node()))
            : slots.take(gpu, capacity.node().gpuMemoryMiB());
    return took(capacity, member, taken, slices);
  }

  /** Takes the resources of one member, with a GPU fraction on the given slot. */
  public static NodeAllocation take(NodeCapacity capacity, MemberShape member, int slot) {
    int each = GpuSlots.milliEach(member.gpu(), capacity.node().gpuMemoryMiB());
    return took(capacity, member, capacity.slots().takePart(slot, each), NO_SLICES);
  }

  private static NodeAllocation took(
      NodeCapacity capacity, MemberShape member, int[] slots, int[] slices) {
    capacity.change(member, -1);
    int each = GpuSlots.milliEach(member.gpu(), capacity.node().gpuMemoryMiB());
    return new NodeAllocation(capacity, member, slots, each, slices);
  }

  public NodeCapacity capacity() {
    return capacity;
  }

  /** Makes the member a neighbour of other jobs. The result is null if no term concerns it. */
  public @Nullable Undo settle() {
    if (shape.neighbours().any()) {
      return null;
    }
    capacity.occupy(shape.neighbours(), true, 1);
    return () -> capacity.occupy(shape.neighbours(), true, -1);
  }

  public MemberShape shape() {
    return shape;
  }

  /** Returns the member in the form that is stored. */
  public Member member(int index, Flavor flavor) {
    List<GpuShare> shares = new ArrayList<>(slots.length);
    for (int slot : slots) {
      Gpu gpu = capacity.slots().gpu(slot);
      shares.add(new GpuShare(gpu.index(), gpu.serial(), milliEach));
    }
    for (int slot = 0; slot < slices.length; slot++) {
      if (slices[slot] != 0) {
        Gpu gpu = capacity.slots().gpu(slot);
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
    capacity.slots().give(slots, milliEach);
    capacity.slots().moveSlices(slices, -1);
    capacity.change(shape, 1);
  }
}
