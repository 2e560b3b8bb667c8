package dev.fairlead.people.audit.web;

import dev.fairlead.people.audit.ConfigVersion;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One change of the configuration with the complete stored documents. Absent and empty values are
 * omitted.
 *
 * @param before previous document, null for a creation
 * @param after new document, null for a deletion
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
