package dev.fairlead.work.placement.gpu;

import dev.fairlead.fleet.node.Gpu;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.MigGeometry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The GPUs of one node. A slot is named by its position in the list of devices, which is by index.
 * Free amounts are thousandths of a device, 0..1000 each; what others' pods use on the node has no
 * known slot and is held back from the sum. A device that is cut in slices has nothing free for
 * anything but slices, of which it knows the places.
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
   * @param unclaimedMilli what the node has left for us by its own count; may be negative
   */
  public GpuSlots(List<Gpu> gpus, long unclaimedMilli) {
    this(gpus, unclaimedMilli, null);
  }

  /**
   * @param geometry how the devices are cut as slices are asked for, null where they are not
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

  /** Position of the device of that index, -1 for none. */
  public int slotOf(int index) {
    for (int slot = 0; slot < free.length; slot++) {
      if (gpus.get(slot).index() == index) {
        return slot;
      }
    }
    return -1;
  }

  /** Devices that a whole-GPU member can have. */
  public int freeWhole() {
    return unclaimed >= (long) whole * WHOLE ? whole : (int) Math.max(0, unclaimed / WHOLE);
  }

  /** Sum of free thousandths, whether usable together or not. */
  public long idleMilli() {
    return idle;
  }

  /** Whether some device is in part free and in part taken. */
  public boolean shared() {
    return idle > (long) whole * WHOLE;
  }

  /** Members of this request that fit. */
  public int fits(GpuRequest request, long deviceMemoryMiB) {
    return switch (request.kind()) {
      case NONE -> Integer.MAX_VALUE;
      case MIG -> slices.fits(request, free, unclaimed) / request.count();
      case WHOLE -> freeWhole() / request.count();
      case FRACTION, MEMORY -> fitsParts(request.milliOn(deviceMemoryMiB));
    };
  }

  /** Members of this request that an empty node of as many healthy devices holds. */
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

  /** Whether one member of this request fits. */
  public boolean takes(GpuRequest request, long deviceMemoryMiB) {
    return switch (request.kind()) {
      case NONE -> true;
      case MIG -> slices.fits(request, free, unclaimed) >= request.count();
      case WHOLE -> freeWhole() >= request.count();
      case FRACTION, MEMORY -> bestSlot(request.milliOn(deviceMemoryMiB)) >= 0;
    };
  }

  /** The slot that a part fits best: least free, then lowest; -1 for none. */
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
   * Takes the devices of one member that fits: whole ones lowest first, a part where it fits best.
   *
   * @return slots taken, each by the milli of {@link #milliEach}
   */
  public int[] take(GpuRequest request, long deviceMemoryMiB) {
    int each = milliEach(request, deviceMemoryMiB);
    return switch (request.kind()) {
      case NONE, MIG -> new int[0]; // of MIG see takeSlices
      case WHOLE -> takeWhole(request.count(), 0);
      case FRACTION, MEMORY -> {
        int slot = bestSlot(each);
        change(slot, -each);
        yield new int[] {slot};
      }
    };
  }

  /** Whether slices can be taken of the slot, as far as there are any left. */
  public boolean cuttable(int slot) {
    return free[slot] == WHOLE || slices.cut(slot);
  }

  /** Whether slices are taken of the slot. */
  public boolean cut(int slot) {
    return slices.cut(slot);
  }

  /** Idle devices that would have to be cut for a member of this request. */
  public int opens(GpuRequest request) {
    return slices.opens(request, free);
  }

  /**
   * Takes the slices of one member that fits: of devices that are cut already where there are some
   * left, in the places that leave most room for others.
   *
   * @return masks by slot
   */
  public int[] takeSlices(GpuRequest request) {
    int[] masks = slices.choose(request, free);
    moveSlices(masks, 1);
    return masks;
  }

  /** Takes (sign 1) or gives back (sign -1) slices by slot. */
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

  /** The free ones of the slices, by slot. */
  public int[] freeSlices(int[] masks) {
    int[] there = new int[free.length];
    for (int i = 0; i < free.length; i++) {
      there[i] = cuttable(i) ? slices.free(i, masks[i]) : 0;
    }
    return there;
  }

  /** The taken ones of the slices, by slot. */
  public int taken(int slot, int mask) {
    return slices.taken(slot, mask);
  }

  /** Thousandths of a device that slices of a mask are. */
  public int milli(int mask) {
    return slices.milli(mask);
  }

  /**
   * Members that fit if each gets all its whole GPUs from one of a number of equal parts of the
   * devices, in the order of their indexes.
   */
  public int fitsAligned(GpuRequest request, int parts) {
    int fits = 0;
    for (int part = 0; part < parts; part++) {
      fits += wholeIn(part, parts) / request.count();
    }
    return Math.min(fits, freeWhole() / request.count());
  }

  /** The same if nothing were taken. */
  public int capacityAligned(GpuRequest request, int parts) {
    int capacity = 0;
    for (int part = 0; part < parts; part++) {
      capacity += (end(part, parts) - end(part - 1, parts)) / request.count();
    }
    return capacity;
  }

  /** Takes whole GPUs of the fullest part that has enough, of any where none has. */
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

  /** Writes the free thousandths of each slot. */
  public void copyTo(int[] freeMilli) {
    System.arraycopy(free, 0, freeMilli, 0, free.length);
  }

  /** Takes a part of a slot that has it free; the result is that of {@link #take}. */
  public int[] takePart(int slot, int milli) {
    change(slot, -milli);
    return new int[] {slot};
  }

  /** Gives back what a {@link #take} took. */
  public void give(int[] slots, int each) {
    for (int slot : slots) {
      change(slot, each);
    }
  }

  /** Thousandths that the request takes of each of its slots. */
  public static int milliEach(GpuRequest request, long deviceMemoryMiB) {
    return request.kind() == GpuRequest.Kind.WHOLE ? WHOLE : (int) request.milliOn(deviceMemoryMiB);
  }

  /** How much of an amount a slot can be given back without being more than whole. */
  public int freed(int slot, int milli) {
    return Math.min(milli, WHOLE - free[slot]);
  }

  /** The free part of the thousandths, by slot. */
  public int[] free(int[] milli) {
    int[] there = new int[free.length];
    for (int i = 0; i < free.length; i++) {
      there[i] = Math.min(milli[i], free[i]);
    }
    return there;
  }

  /** Gives (sign 1) or takes (sign -1) thousandths by slot. */
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
