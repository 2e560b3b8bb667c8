package dev.fairlead.people.audit.web;

import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigVersion;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The change of a revert.
 *
 * @param version version of the new change, null if nothing was stored
 * @param action id of the API operation that made it
 * @param name name of the changed object, or its id if it has no name
 * @param reverts version that was reverted
 * @param before stored document before the revert
 * @param after stored document after the revert
 */
@Schema(name = "RevertResponse")
record RevertResponse(
    @Nullable Long version,
    String action,
    ConfigKind kind,
    String name,
    long reverts,
    @Nullable Map<String, Object> before,
    @Nullable Map<String, Object> after) {
  static RevertResponse of(ConfigVersion made, long reverts, boolean stored) {
    return new RevertResponse(
        stored ? made.version() : null,
        made.operation(),
        made.change().kind(),
        made.change().name(),
        reverts,
        ConfigChanges.members(made.change().before()),
        ConfigChanges.members(made.change().after()));
  }
}
