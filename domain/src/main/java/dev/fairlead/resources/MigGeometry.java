package dev.fairlead.resources;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Where slices of one kind of GPU may lie. A GPU is cut along its memory slices; a profile takes a
 * run of them from one of its legal starts, and two slices lie side by side when they share none.
 * The set of memory slices taken is a bit mask, the lowest bit the first slice; {@link #MEDIA}
 * stands for the media engines, of which a GPU has one set ({@code +me}).
 *
 * <p>Source: NVIDIA Multi-Instance GPU User Guide, "Supported MIG Profiles"
 * (https://docs.nvidia.com/datacenter/tesla/mig-user-guide/supported-mig-profiles.html) for names,
 * memory and most instances; {@code nvidia-smi mig -lgipp} for the starts, which it prints as
 * {@code {0,2,4}:2}, start and size in memory slices.
 *
 * @param name as {@link GpuModel#migGeometry} names it
 * @param slices memory slices of a whole GPU
 * @param profiles that it can be cut into
 */
public record MigGeometry(String name, int slices, List<Profile> profiles) {
  /** The bit of the media engines. */
  public static final int MEDIA = 1 << 8;

  /** Nothing is left of a GPU. */
  public static final int FULL = 2 * MEDIA - 1;

  private static final int WHOLE_MILLI = 1000;

  /** Compute slices of most GPUs: the part of one that a profile of an unknown GPU stands for. */
  private static final int COMPUTE_SLICES = 7;

  private static final List<MigGeometry> ALL =
      List.of(
          new MigGeometry(
              "A30",
              4,
              List.of(
                  at("1g.6gb", 1, 0, 1, 2, 3),
                  at("1g.6gb+me", 1, 0, 1, 2, 3),
                  at("2g.12gb", 2, 0, 2),
                  at("2g.12gb+me", 2, 0, 2),
                  at("4g.24gb", 4, 0))),
          sevenths("A100-40", 5, 10, 20, 40),
          sevenths("A100-80", 10, 20, 40, 80),
          sevenths("H100-80", 10, 20, 40, 80),
          sevenths("H100-94", 12, 24, 47, 94),
          sevenths("H200", 18, 35, 71, 141),
          sevenths("B200", 23, 45, 90, 180));

  public MigGeometry {
    profiles = List.copyOf(profiles);
  }

  /**
   * A profile.
   *
   * @param name as people write it, {@code 1g.10gb+me}
   * @param size memory slices that it takes
   * @param places the masks it may take, by start
   */
  public record Profile(String name, int size, List<Integer> places) {
    public Profile {
      places = List.copyOf(places);
    }

    /** How many more of it fit beside what is taken; no two of its places overlap but for media. */
    public int fits(int taken) {
      int fits = 0;
      int all = taken;
      for (int place : places) {
        if ((place & all) == 0) {
          all |= place;
          fits++;
        }
      }
      return fits;
    }
  }

  /** GPUs of seven compute and eight memory slices; memory of the profiles in GB. */
  private static MigGeometry sevenths(String name, int eighth, int quarter, int half, int all) {
    return new MigGeometry(
        name,
        8,
        List.of(
            at("1g." + eighth + "gb", 1, 0, 1, 2, 3, 4, 5, 6),
            at("1g." + eighth + "gb+me", 1, 0, 1, 2, 3, 4, 5, 6),
            at("1g." + quarter + "gb", 2, 0, 2, 4, 6),
            at("2g." + quarter + "gb", 2, 0, 2, 4),
            at("3g." + half + "gb", 4, 0, 4),
            at("4g." + half + "gb", 4, 0),
            at("7g." + all + "gb", 8, 0)));
  }

  private static Profile at(String name, int size, int... starts) {
    int run = (1 << size) - 1 | (name.endsWith("+me") ? MEDIA : 0);
    List<Integer> places = new ArrayList<>();
    Arrays.stream(starts).forEach(s -> places.add((run & ~MEDIA) << s | run & MEDIA));
    return new Profile(name, size, places);
  }

  /** Of the GPUs of a model; empty when they cannot be cut or nobody knows how. */
  public static Optional<MigGeometry> of(String model) {
    return GpuCatalogue.byName(model)
        .map(GpuModel::migGeometry)
        .flatMap(name -> ALL.stream().filter(g -> g.name.equals(name)).findFirst());
  }

  /** Every profile that some GPU has, by name. */
  public static SortedSet<String> profileNames() {
    SortedSet<String> names = new TreeSet<>();
    ALL.forEach(g -> g.profiles.forEach(p -> names.add(p.name)));
    return Collections.unmodifiableSortedSet(names);
  }

  public Optional<Profile> profile(String profile) {
    return profiles.stream().filter(p -> p.name.equals(profile)).findFirst();
  }

  /**
   * The place for one slice beside what is taken that leaves most room for others: memory slices
   * that each profile could still have, summed over all profiles. Of equals the last.
   *
   * @return its mask, 0 when it does not fit
   */
  public int place(Profile profile, int taken) {
    int best = 0;
    int most = -1;
    for (int place : profile.places) {
      int left = (place & taken) == 0 ? left(taken | place) : -1;
      if (left >= most && left >= 0) {
        best = place;
        most = left;
      }
    }
    return best;
  }

  private int left(int taken) {
    int left = 0;
    for (Profile profile : profiles) {
      left += profile.fits(taken) * profile.size;
    }
    return left;
  }

  /** Memory slices of a mask, from 0. */
  public static List<Integer> memorySlices(int mask) {
    return IntStream.range(0, Byte.SIZE).filter(i -> (mask >> i & 1) != 0).boxed().toList();
  }

  /** Thousandths of the GPU that the memory slices of a mask are. */
  public int milli(int mask) {
    return Integer.bitCount(mask & (1 << slices) - 1) * WHOLE_MILLI / slices;
  }

  /**
   * Thousandths of a GPU that one slice counts: its memory slices of all; for a profile that the
   * model is not known to have its compute slices of seven, rounded up.
   */
  public static long milli(String model, String profile) {
    return of(model)
        .flatMap(g -> g.profile(profile).map(p -> (long) p.size * WHOLE_MILLI / g.slices))
        .orElseGet(() -> computeMilli(profile));
  }

  /** Thousandths of a GPU's compute that a profile stands for, rounded up, whatever the GPU. */
  public static long computeMilli(String profile) {
    int compute = profile.isEmpty() ? 0 : Math.clamp(profile.charAt(0) - '0', 0, COMPUTE_SLICES);
    return Math.ceilDiv(compute * WHOLE_MILLI, COMPUTE_SLICES);
  }
}
