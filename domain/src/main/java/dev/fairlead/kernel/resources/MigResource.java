package dev.fairlead.kernel.resources;

import org.jspecify.annotations.Nullable;

/**
 * Names under which nodes offer MIG slices that an administrator cut, a resource for each profile.
 */
public final class MigResource {
  private static final String PREFIX = "nvidia.com/mig-";

  private MigResource() {}

  /** Name under which a node offers slices of a profile. {@code +} is not allowed in such names. */
  public static String of(String profile) {
    return PREFIX + profile.replace('+', '.');
  }

  /** The profile that a resource offers, null for another resource. */
  public static @Nullable String profile(String resource) {
    return resource.startsWith(PREFIX)
        ? resource.substring(PREFIX.length()).replace(".me", "+me")
        : null;
  }
}
