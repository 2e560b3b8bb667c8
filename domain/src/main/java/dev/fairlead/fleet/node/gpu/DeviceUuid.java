package dev.fairlead.fleet.node.gpu;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Recognizes UUIDs of physical GPUs. The NVIDIA driver reports them with {@code GPU-}, the example
 * driver of Kubernetes for dynamic resource allocation with {@code gpu-}. Two forms are two GPUs.
 */
public final class DeviceUuid {
  private static final String UUID =
      "(?:GPU|gpu)-[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";

  private static final Pattern WHOLE = Pattern.compile(UUID);

  /** A replica of time-slicing or MPS, and the former names of MIG slices. */
  private static final Pattern PART =
      Pattern.compile("(?:(%1$s)::[0-9]{1,5}|MIG-(%1$s)/[0-9]{1,5}/[0-9]{1,5})".formatted(UUID));

  private DeviceUuid() {}

  /**
   * Returns whether the text is {@code GPU-} or {@code gpu-} and a UUID, and not the name of a MIG
   * slice or a replica.
   */
  public static boolean matches(String text) {
    return WHOLE.matcher(text).matches();
  }

  /**
   * Returns the UUID of the GPU if the name of a replica or MIG slice contains it. Returns any
   * other text unchanged.
   */
  public static String physical(String id) {
    Matcher part = PART.matcher(id);
    if (!part.matches()) {
      return id;
    }
    return part.group(1) == null ? part.group(2) : part.group(1);
  }
}
