package dev.fairlead.fleet.node;

import java.util.regex.Pattern;

/** UUIDs of physical GPUs, as the NVIDIA driver reports them: {@code GPU-} and a UUID. */
public final class GpuUuid {
  private static final Pattern WHOLE =
      Pattern.compile("GPU-[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  private GpuUuid() {}

  /** Returns whether the text is the UUID of a physical GPU, not of a MIG slice or replica. */
  public static boolean is(String text) {
    return WHOLE.matcher(text).matches();
  }
}
