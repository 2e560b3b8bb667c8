package dev.fairlead.fleet.node.gpu;

import java.util.regex.Pattern;

/**
 * Recognizes UUIDs of physical GPUs. The NVIDIA driver reports them with {@code GPU-}, the example
 * driver of Kubernetes for dynamic resource allocation with {@code gpu-}. Two forms are two GPUs.
 */
public final class DeviceUuid {
  private static final Pattern WHOLE =
      Pattern.compile("(?:GPU|gpu)-[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  private DeviceUuid() {}

  /**
   * Returns whether the text is {@code GPU-} or {@code gpu-} and a UUID, and not the name of a MIG
   * slice or a replica.
   */
  public static boolean matches(String text) {
    return WHOLE.matcher(text).matches();
  }
}
