package dev.fairlead.fleet.node.gpu;

import java.util.regex.Pattern;

/** Recognizes UUIDs of physical GPUs, as the NVIDIA driver reports them. */
public final class DeviceUuid {
  private static final Pattern WHOLE =
      Pattern.compile("GPU-[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  private DeviceUuid() {}

  /**
   * Returns whether the text is {@code GPU-} and a UUID, and not the name of a MIG slice or a
   * replica.
   */
  public static boolean matches(String text) {
    return WHOLE.matcher(text).matches();
  }
}
