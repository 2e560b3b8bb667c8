package dev.fairlead.work.placement.gpu;

import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.MigGeometry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tracks the MIG slices in use on the devices of one node. */
final class SliceSlots {
  private final @Nullable MigGeometry geometry;
  private final int[] taken;

  SliceSlots(@Nullable MigGeometry geometry, List<Gpu> gpus) {
    this.geometry = geometry;
    taken = new int[gpus.size()];
    for (int i = 0; i < taken.length; i++) {
      Gpu gpu = gpus.get(i);
      taken[i] = gpu.slices() != 0 && !gpu.usable() ? MigGeometry.FULL : gpu.slices();
    }
  }

  boolean cut(int slot) {
    return taken[slot] != 0;
  }

  /**
   * Returns how many slices of the profile can be taken now. Fully idle devices can be partitioned.
   */
  int fits(GpuRequest request, int[] free, long unclaimedMilli) {
    MigGeometry.Profile profile = profile(request);
    if (profile == null) {
      return 0;
    }
    long fits = 0;
    for (int i = 0; i < taken.length; i++) {
      fits += taken[i] != 0 || free[i] == Gpu.WHOLE_MILLI ? profile.fits(taken[i]) : 0;
    }
    return (int) Math.max(0, Math.min(fits, unclaimedMilli / milli(profile.places().getFirst())));
  }

  /** Returns how many slices of the profile fit on as many idle devices. */
  int capacity(GpuRequest request) {
    MigGeometry.Profile profile = profile(request);
    return profile == null ? 0 : profile.fits(0) * taken.length;
  }

  int opens(GpuRequest request, int[] free) {
    int[] masks = choose(request, free);
    int opens = 0;
    for (int i = 0; i < masks.length; i++) {
      opens += masks[i] != 0 && taken[i] == 0 ? 1 : 0;
    }
    return opens;
  }

  /** Returns masks by slot for the requested number of slices, the fullest device first. */
  int[] choose(GpuRequest request, int[] free) {
    int[] masks = new int[taken.length];
    MigGeometry.Profile profile = profile(request);
    for (int n = 0; geometry != null && profile != null && n < request.count(); n++) {
      int slot = fullest(profile, masks, free);
      if (slot >= 0) {
        masks[slot] |= geometry.place(profile, taken[slot] | masks[slot]);
      }
    }
    return masks;
  }

  private int fullest(MigGeometry.Profile profile, int[] masks, int[] free) {
    int best = -1;
    for (int i = 0; i < taken.length; i++) {
      int now = taken[i] | masks[i];
      boolean usable = taken[i] != 0 || free[i] == Gpu.WHOLE_MILLI;
      if (usable
          && profile.fits(now) > 0
          && (best < 0 || slices(now) > slices(taken[best] | masks[best]))) {
        best = i;
      }
    }
    return best;
  }

  private static int slices(int mask) {
    return Integer.bitCount(mask & ~MigGeometry.MEDIA);
  }

  void move(int slot, int mask, int sign) {
    taken[slot] = sign > 0 ? taken[slot] | mask : taken[slot] & ~mask;
  }

  int free(int slot, int mask) {
    return mask & ~taken[slot];
  }

  int taken(int slot, int mask) {
    return mask & taken[slot];
  }

  int milli(int mask) {
    return geometry == null ? 0 : geometry.milli(mask);
  }

  private MigGeometry.@Nullable Profile profile(GpuRequest request) {
    String name = request.migProfile();
    return geometry == null || name == null ? null : geometry.profile(name).orElse(null);
  }
}
