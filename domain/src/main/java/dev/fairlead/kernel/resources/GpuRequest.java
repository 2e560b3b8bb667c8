package dev.fairlead.kernel.resources;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The GPU request of one member: none, whole devices, a fraction of one, memory of one, or MIG
 * slices.
 *
 * @param kind which of the amounts counts. The others are zero
 * @param count whole GPUs (WHOLE) or slices (MIG)
 * @param fractionMilli thousandths of one GPU, 10..990 (FRACTION)
 * @param memoryMiB device memory on one shared GPU (MEMORY)
 * @param migProfile profile name such as {@code 1g.10gb} (MIG)
 * @param models acceptable models in order of preference, empty accepts any
 * @param minMemoryMiB least device memory of the GPU, 0 for any
 */
public record GpuRequest(
    Kind kind,
    int count,
    int fractionMilli,
    long memoryMiB,
    @Nullable String migProfile,
    List<String> models,
    long minMemoryMiB) {
  /** Ways to request a GPU. */
  public enum Kind {
    NONE,
    WHOLE,
    FRACTION,
    MEMORY,
    MIG
  }

  public static final GpuRequest NONE = new GpuRequest(Kind.NONE, 0, 0, 0, null, List.of(), 0);
  private static final int WHOLE_MILLI = 1000;

  public GpuRequest {
    models = List.copyOf(models);
  }

  public static GpuRequest whole(int count, String... models) {
    return new GpuRequest(Kind.WHOLE, count, 0, 0, null, List.of(models), 0);
  }

  public static GpuRequest fraction(int milli, String... models) {
    return new GpuRequest(Kind.FRACTION, 0, milli, 0, null, List.of(models), 0);
  }

  /**
   * Returns whether a GPU of this model and memory is acceptable. The order of preference does not
   * matter here.
   */
  public boolean accepts(String model, long deviceMemoryMiB) {
    boolean named = models.isEmpty() || models.stream().anyMatch(m -> GpuModel.answers(model, m));
    return named && deviceMemoryMiB >= minMemoryMiB;
  }

  /**
   * Thousandths of GPUs taken on a device of the given memory. A memory share is rounded up. MIG
   * slices count as 0, because they depend on the model, see the overload.
   */
  public long milliOn(long deviceMemoryMiB) {
    return switch (kind) {
      case NONE, MIG -> 0;
      case WHOLE -> (long) count * WHOLE_MILLI;
      case FRACTION -> fractionMilli;
      case MEMORY ->
          deviceMemoryMiB <= 0
              ? WHOLE_MILLI + 1L
              : Math.ceilDiv(memoryMiB * WHOLE_MILLI, deviceMemoryMiB);
    };
  }

  /**
   * Maximum thousandths of a GPU that the request can use on any device. A share of memory may need
   * the whole device. For a slice, its profile's largest part on an acceptable GPU.
   */
  public long mostMilli() {
    return switch (kind) {
      case NONE -> 0;
      case WHOLE, FRACTION -> milliOn(0);
      case MEMORY -> WHOLE_MILLI;
      case MIG -> count * mostOfSlice(migProfile == null ? "" : migProfile);
    };
  }

  /** A GPU outside the catalogue may also match the name of a model. */
  private long mostOfSlice(String profile) {
    return GpuCatalogue.models().stream()
        .filter(model -> accepts(model.name(), model.memoryMiB()))
        .mapToLong(model -> MigGeometry.milli(model.name(), profile))
        .reduce(MigGeometry.computeMilli(profile), Math::max);
  }

  /**
   * Returns the thousandths of a GPU that the request uses on a device of the model, with MIG
   * slices by their geometry.
   */
  public long milliOn(String model, long deviceMemoryMiB) {
    return kind == Kind.MIG && migProfile != null
        ? count * MigGeometry.milli(model, migProfile)
        : milliOn(deviceMemoryMiB);
  }
}
