package dev.fairlead.kernel.resources;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The label {@code nvidia.com/gpu.product}, split into the product and its statement about the
 * units of the node.
 *
 * @param name the product without endings, of a vGPU the whole label
 * @param profile MIG profile of every unit, null when the units are not slices
 * @param shared whether each unit is a fraction, by time-slicing or MPS
 * @param virtual whether the units are vGPUs
 */
public record GpuProduct(String name, @Nullable String profile, boolean shared, boolean virtual) {
  private static final String SHARED = "-SHARED";

  /** {@code NVIDIA-A100-SXM4-40GB-MIG-1g.5gb}. */
  private static final Pattern SLICED = Pattern.compile("(.+)-MIG-(.+)");

  /** {@code NVIDIA-A10-4Q}, {@code NVIDIA-H100L-2-24C}, {@code NVIDIA-A100-1-5CME}. */
  private static final Pattern VIRTUAL =
      Pattern.compile(".+?(?:-[0-9])?-[0-9]{1,3}[ABCQ](?:ME)?[0-9]?");

  /** Reads the value of the label, empty without the label. */
  public static GpuProduct of(String label) {
    boolean shared = label.endsWith(SHARED);
    String product = shared ? label.substring(0, label.length() - SHARED.length()) : label;
    Matcher sliced = SLICED.matcher(product);
    return sliced.matches()
        ? new GpuProduct(sliced.group(1), sliced.group(2).replace(".me", "+me"), shared, false)
        : new GpuProduct(product, null, shared, VIRTUAL.matcher(product).matches());
  }

  /** Returns whether the label itself indicates whole GPUs. */
  public boolean whole() {
    return profile == null && !shared && !virtual;
  }
}
