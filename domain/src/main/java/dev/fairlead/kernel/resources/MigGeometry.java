package dev.fairlead.kernel.resources;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Legal positions of slices on one kind of GPU. A GPU is partitioned along its memory slices. A
 * profile occupies consecutive memory slices from one of its legal starts, and two slices coexist
 * if they share none. The used memory slices are a bit mask, the lowest bit for the first slice.
 * {@link #MEDIA} represents the media engines. A GPU has one set of media extensions ({@code +me}).
 *
 * <p>The geometries are data: {@code mig-geometries.csv}. Source: NVIDIA Multi-Instance GPU User
 * Guide, "Supported MIG Profiles"
 * (https://docs.nvidia.com/datacenter/tesla/mig-user-guide/supported-mig-profiles.html) for names,
 * memory and most instances. {@code nvidia-smi mig -lgipp} for the starts, which it prints as
 * {@code {0,2,4}:2}, start and size in memory slices.
 *
 * @param name as {@link GpuModel#migGeometry} names it
 * @param slices memory slices of a whole GPU
 * @param profiles available profiles
 */
public record MigGeometry(String name, int slices, List<Profile> profiles) {
  /** The bit of the media engines. */
  public static final int MEDIA = 1 << 8;

  /** The GPU has no free slice. */
  public static final int FULL = 2 * MEDIA - 1;

  private static final int WHOLE_MILLI = 1000;

  /** Compute slices of most GPUs: the denominator for a profile on an unknown GPU. */
  private static final int COMPUTE_SLICES = 7;

  private static final int COLUMNS = 5;

  /** Columns of {@code mig-geometries.csv}. */
  static final String HEAD = "geometry,slices,profile,size,starts";

  static final List<MigGeometry> SHIPPED = read(ResourceTable.lines("/mig-geometries.csv"));

  public MigGeometry {
    profiles = List.copyOf(profiles);
  }

  /**
   * A profile.
   *
   * @param name as in documentation, {@code 1g.10gb+me}
   * @param size number of memory slices
   * @param places the masks it may take, by start
   */
  public record Profile(String name, int size, List<Integer> places) {
    public Profile {
      places = List.copyOf(places);
    }

    /**
     * Number of instances that still fit next to the used slices. Placements of the profile overlap
     * only in the media engines.
     */
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

  /**
   * Reads a table of geometries.
   *
   * @throws IllegalArgumentException for a row that cannot be read, with its text
   */
  static List<MigGeometry> read(List<String> lines) {
    SortedMap<String, List<List<String>>> rows = new TreeMap<>();
    ResourceTable.rows(lines, COLUMNS)
        .forEach(row -> rows.computeIfAbsent(row.getFirst(), name -> new ArrayList<>()).add(row));
    return rows.values().stream()
        .map(own ->
            new MigGeometry(
                own.getFirst().get(0),
                Integer.parseInt(own.getFirst().get(1)),
                own.stream().map(MigGeometry::profile).toList()))
        .toList();
  }

  private static Profile profile(List<String> row) {
    boolean numbers =
        row.get(1).matches("[1-8]")
            && row.get(3).matches("[1-8]")
            && row.get(4).matches("[0-7]( [0-7])*");
    if (!numbers || row.get(0).isEmpty() || !row.get(2).matches("[1-9]g\\.[0-9]+gb.*")) {
      throw new IllegalArgumentException(
          "a row needs a name, 1 to 8 slices, a profile such as 1g.10gb, its size and its starts: "
              + String.join(",", row));
    }
    int[] starts = Arrays.stream(row.get(4).split(" ")).mapToInt(Integer::parseInt).toArray();
    return at(row.get(2), Integer.parseInt(row.get(3)), starts);
  }

  static Optional<MigGeometry> named(String name) {
    return GpuCatalogue.geometries().stream()
        .filter(geometry -> geometry.name.equals(name))
        .findFirst();
  }

  /** Returns the geometry of GPUs that are all partitioned into slices of one profile. */
  public Optional<MigGeometry> only(String profile) {
    return profile(profile).map(one -> new MigGeometry(name, slices, List.of(one)));
  }

  private static Profile at(String name, int size, int... starts) {
    int run = (1 << size) - 1 | (name.endsWith("+me") ? MEDIA : 0);
    List<Integer> places = new ArrayList<>();
    Arrays.stream(starts).forEach(s -> places.add((run & ~MEDIA) << s | run & MEDIA));
    return new Profile(name, size, places);
  }

  /**
   * Geometry of the GPUs of a model, empty if they cannot be partitioned or the geometry is
   * unknown.
   */
  public static Optional<MigGeometry> of(String model) {
    return GpuCatalogue.byName(model).map(GpuModel::migGeometry).flatMap(MigGeometry::named);
  }

  /** Every profile that some GPU has, by name. */
  public static SortedSet<String> profileNames() {
    SortedSet<String> names = new TreeSet<>();
    GpuCatalogue.geometries().forEach(g -> g.profiles.forEach(p -> names.add(p.name)));
    return Collections.unmodifiableSortedSet(names);
  }

  public Optional<Profile> profile(String profile) {
    return profiles.stream().filter(p -> p.name.equals(profile)).findFirst();
  }

  /**
   * The position for one slice next to the used slices that leaves most space for others: memory
   * slices that each profile could still have, summed over all profiles. Returns the last of equal
   * entries.
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
   * Thousandths of a GPU that one slice counts: its memory slices of all. For a profile that the
   * model is not known to have its compute slices of seven, rounded up.
   */
  public static long milli(String model, String profile) {
    return of(model)
        .flatMap(g -> g.profile(profile).map(p -> (long) p.size * WHOLE_MILLI / g.slices))
        .orElseGet(() -> computeMilli(profile));
  }

  /**
   * Thousandths of a GPU's compute that a profile represents, rounded up, regardless of the GPU.
   */
  public static long computeMilli(String profile) {
    int compute = profile.isEmpty() ? 0 : Math.clamp(profile.charAt(0) - '0', 0, COMPUTE_SLICES);
    return Math.ceilDiv(compute * WHOLE_MILLI, COMPUTE_SLICES);
  }
}
