package dev.fairlead.kernel.config;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import org.jspecify.annotations.Nullable;

/**
 * One configuration value with the version that a change must name.
 *
 * @param name unique within the kind. The history of the configuration uses the same name
 * @param tenant owner, null for the platform
 * @param project owner within the tenant, null if none. The document is deleted with its project
 * @param version 0 before the document is stored, then 1, and one more for each change of the value
 */
public record ConfigDocument<T extends Record>(
    ConfigType<T> type,
    String name,
    @Nullable TenantId tenant,
    @Nullable ProjectId project,
    T value,
    long version) {

  /** A document of the platform that is not stored yet. */
  public static <T extends Record> ConfigDocument<T> ofPlatform(
      ConfigType<T> type, String name, T value) {
    return new ConfigDocument<>(type, name, null, null, value, 0);
  }

  /** Returns the document with another value, which replaces this version. */
  public ConfigDocument<T> with(T next) {
    return new ConfigDocument<>(type, name, tenant, project, next, version);
  }
}
