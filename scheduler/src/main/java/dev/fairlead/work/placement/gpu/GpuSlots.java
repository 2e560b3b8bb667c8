package dev.fairlead.work.placement.gpu;

import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.MigGeometry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The GPUs of one node. A slot is the position in the list of devices, which is sorted by index.
 * Free amounts are thousandths of a device, 0..1000 each. Pods that Fairlead does not manage have
 * no known slot, so their use is subtracted from the sum. A device that is partitioned into slices
 * has free capacity only for slices and tracks their positions.
 */
public final class GpuSlots {
  private static final int WHOLE = Gpu.WHOLE_MILLI;

  private final List<Gpu> gpus;
  private final int[] free;
  private final SliceSlots slices;
  private long unclaimed;
  private int whole;
  private long idle;

  /**
   * @param unclaimedMilli thousandths that the node still offers to Fairlead by its own count,
   *     possibly negative
   * @param geometry how devices are partitioned on demand, null if they are not
   */
  public GpuSlots(List<Gpu> gpus, long unclaimedMilli, @Nullable MigGeometry geometry) {
    this.gpus = gpus;
    free = new int[gpus.size()];
    slices = new SliceSlots(geometry, gpus);
    unclaimed = unclaimedMilli;
    for (int i = 0; i < free.length; i++) {
      boolean cut = gpus.get(i).slices() != 0;
      set(i, cut ? 0 : Math.clamp(gpus.get(i).freeMilli(), 0, WHOLE));
    }
  }

  public int size() {
    return free.length;
  }

  public Gpu gpu(int slot) {
    return gpus.get(slot);
  }

  /** Returns the position of the device with that index, -1 for none. */
  public int slotOf(int index) {
    for (int slot = 0; slot < free.length; slot++) {
      if (gpus.get(slot).index() == index) {
        return slot;
      }
    }
    return -1;
  }

  /** Returns the number of devices that members with whole GPUs can use. */
  public int freeWhole() {
    return unclaimed >= (long) whole * WHOLE ? whole : (int) Math.max(0, unclaimed / WHOLE);
  }

  /** Returns the sum of free thousandths, whether usable together or not. */
  public long idleMilli() {
    return idle;
  }

  /** Returns whether some device is partly free and partly used. */
  public boolean shared() {
    return idle > (long) whole * WHOLE;
  }

  /** Returns how many members of this request fit. */
  public int fits(GpuRequest request, long deviceMemoryMiB) {
    return switch (request.kind()) {
      case NONE -> Integer.MAX_VALUE;
      case MIG -> slices.fits(request, free, unclaimed) / request.count();
      case WHOLE -> freeWhole() / request.count();
      case FRACTION, MEMORY -> fitsParts(request.milliOn(deviceMemoryMiB));
    };
  }

  /** Returns how many members of this request fit on an empty node with as many healthy devices. */
  public int capacity(GpuRequest request, long deviceMemoryMiB) {
    return switch (request.kind()) {
      case NONE -> Integer.MAX_VALUE;
      case MIG -> slices.capacity(request) / request.count();
      case WHOLE -> free.length / request.count();
      case FRACTION, MEMORY -> (int) (WHOLE / request.milliOn(deviceMemoryMiB)) * free.length;
    };
  }

  private int fitsParts(long milli) {
    if (milli > WHOLE) {
      return 0;
    }
    long fit = 0;
    for (int slot : free) {
      fit += slot / milli;
    }
    return (int) Math.max(0, Math.min(fit, unclaimed / milli));
  }

  /** Returns whether one member of this request fits. */
  public boolean takes(GpuRequest request, long deviceMemoryMiB) {
    return switch (request.kind()) {
      case NONE -> true;
      case MIG -> slices.fits(request, free, unclaimed) >= request.count();
      case WHOLE -> freeWhole() >= request.count();
      case FRACTION, MEMORY -> bestSlot(request.milliOn(deviceMemoryMiB)) >= 0;
    };
  }

  /**
   * Returns the best slot for a fraction: the slot with the least free capacity, then the lowest
   * slot, -1 if none fits.
   */
  public int bestSlot(long milli) {
    int best = -1;
    for (int i = 0; i < free.length; i++) {
      if (free[i] >= milli && (best < 0 || free[i] < free[best])) {
        best = i;
      }
    }
    return unclaimed >= milli ? best : -1;
  }

  public int freeMilli(int slot) {
    return free[slot];
  }

  /**
   * Takes the devices of one member that fits: the lowest whole devices, or the best slot for a
   * fraction.
   *
   * @return the slots, each used by the amount of {@link #milliEach}
   */
  public int[] take(GpuRequest request, long deviceMemoryMiB) {
    int each = milliEach(request, deviceMemoryMiB);
    return switch (request.kind()) {
      case NONE, MIG -> new int[0]; // for MIG see takeSlices
      case WHOLE -> takeWhole(request.count(), 0);
      case FRACTION, MEMORY -> {
        int slot = bestSlot(each);
        change(slot, -each);
        yield new int[] {slot};
      }
    };
  }

  /** Returns whether the slot offers slices, even if none are free. */
  public boolean cuttable(int slot) {
    return free[slot] == WHOLE || slices.cut(slot);
  }

  /** Returns whether slices of the slot are in use. */
  public boolean cut(int slot) {
    return slices.cut(slot);
  }

  /**
   * Returns the number of idle devices that would have to be partitioned for a member of this
   * request.
   */
  public int opens(GpuRequest request) {
    return slices.opens(request, free);
  }

  /**
   * Takes the slices of one member that fits. It prefers devices that are already partitioned, and
   * the positions that leave most space for other slices.
   *
   * @return masks by slot
   */
  public int[] takeSlices(GpuRequest request) {
    int[] masks = slices.choose(request, free);
    moveSlices(masks, 1);
    return masks;
  }

  /** Takes (sign 1) or returns (sign -1) slices by slot. */
  public void moveSlices(int[] masks, int sign) {
    for (int i = 0; i < masks.length; i++) {
      if (masks[i] != 0) {
        moveSlices(i, masks[i], sign);
      }
    }
  }

  private void moveSlices(int slot, int mask, int sign) {
    boolean before = slices.cut(slot);
    slices.move(slot, mask, sign);
    if (before != slices.cut(slot)) {
      whole -= before ? 0 : 1;
      idle -= free[slot];
      set(slot, before ? WHOLE : 0);
    }
    unclaimed -= (long) sign * slices.milli(mask);
  }

  /** Returns the free slices among the given ones, by slot. */
  public int[] freeSlices(int[] masks) {
    int[] there = new int[free.length];
    for (int i = 0; i < free.length; i++) {
      there[i] = cuttable(i) ? slices.free(i, masks[i]) : 0;
    }
    return there;
  }

  /** Returns the used slices of the mask. */
  public int taken(int slot, int mask) {
    return slices.taken(slot, mask);
  }

  /** Returns the thousandths of a device that the slices of a mask amount to. */
  public int milli(int mask) {
    return slices.milli(mask);
  }

  /**
   * Returns how many members fit if each gets all its whole GPUs from one of several equal parts of
   * the devices, in index order.
   */
  public int fitsAligned(GpuRequest request, int parts) {
    int fits = 0;
    for (int part = 0; part < parts; part++) {
      fits += wholeIn(part, parts) / request.count();
    }
    return Math.min(fits, freeWhole() / request.count());
  }

  /** Returns the same number for an idle node. */
  public int capacityAligned(GpuRequest request, int parts) {
    int capacity = 0;
    for (int part = 0; part < parts; part++) {
      capacity += (end(part, parts) - end(part - 1, parts)) / request.count();
    }
    return capacity;
  }

  /** Takes whole GPUs from the fullest part that has enough, or from any part if none has. */
  public int[] takeAligned(GpuRequest request, int parts) {
    int best = -1;
    for (int part = 0; part < parts; part++) {
      int there = wholeIn(part, parts);
      if (there >= request.count() && (best < 0 || there < wholeIn(best, parts))) {
        best = part;
      }
    }
    return best < 0
        ? takeWhole(request.count(), 0)
        : takeWhole(request.count(), end(best - 1, parts));
  }

  private int wholeIn(int part, int parts) {
    int there = 0;
    for (int i = end(part - 1, parts); i < end(part, parts); i++) {
      there += free[i] == WHOLE ? 1 : 0;
    }
    return there;
  }

  private int end(int part, int parts) {
    return (part + 1) * free.length / parts;
  }

  /** Copies the free thousandths of each slot. */
  public void copyTo(int[] freeMilli) {
    System.arraycopy(free, 0, freeMilli, 0, free.length);
  }

  /**
   * Takes a fraction of a slot that has enough free capacity. The result has the form of {@link
   * #take}.
   */
  public int[] takePart(int slot, int milli) {
    change(slot, -milli);
    return new int[] {slot};
  }

  /** Returns the devices of a {@link #take}. */
  public void give(int[] slots, int each) {
    for (int slot : slots) {
      change(slot, each);
    }
  }

  /** Returns the thousandths that the request uses of each of its slots. */
  public static int milliEach(GpuRequest request, long deviceMemoryMiB) {
    return request.kind() == GpuRequest.Kind.WHOLE ? WHOLE : (int) request.milliOn(deviceMemoryMiB);
  }

  /** Returns how much of an amount can be returned to a slot without exceeding a whole device. */
  public int freed(int slot, int milli) {
    return Math.min(milli, WHOLE - free[slot]);
  }

  /** Returns the free part of the thousandths, by slot. */
  public int[] free(int[] milli) {
    int[] there = new int[free.length];
    for (int i = 0; i < free.length; i++) {
      there[i] = Math.min(milli[i], free[i]);
    }
    return there;
  }

  /** Returns (sign 1) or takes (sign -1) thousandths by slot. */
  public void move(int[] milli, int sign) {
    for (int i = 0; i < free.length; i++) {
      if (milli[i] != 0) {
        change(i, sign * milli[i]);
      }
    }
  }

  private int[] takeWhole(int count, int from) {
    int[] slots = new int[count];
    int taken = 0;
    for (int i = from; taken < count; i++) {
      if (free[i] == WHOLE) {
        change(i, -WHOLE);
        slots[taken++] = i;
      }
    }
    return slots;
  }

  private void change(int slot, int by) {
    unclaimed += by;
    if (free[slot] == WHOLE) {
      whole--;
    }
    idle -= free[slot];
    set(slot, free[slot] + by);
  }

  private void set(int slot, int milli) {
    free[slot] = milli;
    idle += milli;
    if (milli == WHOLE) {
      whole++;
    }
  }
}
