package dev.fairlead.placement.gpu;

import dev.fairlead.cluster.Gpu;
import dev.fairlead.resources.GpuRequest;
import java.util.List;

/**
 * The GPUs of one node. A slot is named by its position in the list of devices, which is by index.
 * Free amounts are thousandths of a device, 0..1000 each; what others' pods use on the node has no
 * known slot and is held back from the sum.
 */
public final class GpuSlots {
  private static final int WHOLE = Gpu.WHOLE_MILLI;

  private final int[] free;
  private long unclaimed;
  private int whole;
  private long idle;

  /**
   * @param unclaimedMilli what the node has left for us by its own count; may be negative
   */
  public GpuSlots(List<Gpu> gpus, long unclaimedMilli) {
    free = new int[gpus.size()];
    unclaimed = unclaimedMilli;
    for (int i = 0; i < free.length; i++) {
      set(i, Math.clamp(gpus.get(i).freeMilli(), 0, WHOLE));
    }
  }

  public int size() {
    return free.length;
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
      case MIG -> 0;
      case WHOLE -> freeWhole() / request.count();
      case FRACTION, MEMORY -> fitsParts(request.milliOn(deviceMemoryMiB));
    };
  }

  /** Members of this request that an empty node of as many healthy devices holds. */
  public int capacity(GpuRequest request, long deviceMemoryMiB) {
    return switch (request.kind()) {
      case NONE -> Integer.MAX_VALUE;
      case MIG -> 0;
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
      case MIG -> false;
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
      case NONE, MIG -> new int[0];
      case WHOLE -> takeWhole(request.count());
      case FRACTION, MEMORY -> {
        int slot = bestSlot(each);
        change(slot, -each);
        yield new int[] {slot};
      }
    };
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

  /** So many thousandths by slot, as far as they are free. */
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

  private int[] takeWhole(int count) {
    int[] slots = new int[count];
    int taken = 0;
    for (int i = 0; taken < count; i++) {
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
