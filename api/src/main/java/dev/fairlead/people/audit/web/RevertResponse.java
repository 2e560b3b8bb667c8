package dev.fairlead.people.audit.web;

import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigVersion;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The change by which something goes back.
 *
 * @param version of the new change; null when nothing was stored
 * @param action id of the operation that made it
 * @param name of what was changed; its id where it has no name
 * @param reverts the version that was taken back
 * @param before what it was until now, as it was stored
 * @param after what it is now, as it is stored
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
