package dev.fairlead.people.audit.web;

import dev.fairlead.people.audit.ConfigVersion;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One change of the configuration with all of what it changed, as it was stored. What is absent or
 * empty has no member.
 *
 * @param before null for what was made
 * @param after null for what was removed
 */
record ConfigDocumentsResponse(
    ConfigVersionResponse change,
    @Nullable Map<String, Object> before,
    @Nullable Map<String, Object> after) {
  static ConfigDocumentsResponse of(ConfigVersion found) {
    return new ConfigDocumentsResponse(
        ConfigVersionResponse.of(found),
        ConfigChanges.members(found.change().before()),
        ConfigChanges.members(found.change().after()));
  }
}
