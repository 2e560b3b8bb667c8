package dev.fairlead.resources;

import org.jspecify.annotations.Nullable;

/**
 * A GPU model as Fairlead names it.
 *
 * @param name short name, {@code H100}
 * @param product the label value that GPU feature discovery writes
 * @param memoryMiB device memory in MiB as the product reports it
 * @param migGeometry name of its MIG placement table, absent when the model has none
 */
public record GpuModel(String name, String product, long memoryMiB, @Nullable String migGeometry) {
  /**
   * Whether a request for {@code asked} accepts this model: the exact name, or the family before a
   * memory size.
   */
  public boolean answersTo(String asked) {
    return answers(name, asked);
  }

  /**
   * As {@link #answersTo} for a model known by name only; {@code A100} accepts {@code A100-40} and
   * {@code A100-80}.
   */
  public static boolean answers(String name, String asked) {
    return name.equals(asked) || name.startsWith(asked + "-");
  }
}
