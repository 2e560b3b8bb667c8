package dev.fairlead.people.audit.web;

import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigVersion;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One change of the configuration.
 *
 * @param version sequence number of its row in the audit, which increases with each change
 * @param action id of the API operation
 * @param name name of the changed object, or its id without a name
 * @param reason reason for the change, null if none
 * @param reverts version that it reverts, null for any other change
 * @param changes differences after the change
 */
record ConfigVersionResponse(
    long version,
    Instant at,
    String actor,
    String action,
    ConfigKind kind,
    String name,
    @Nullable String reason,
    @Nullable Long reverts,
    List<ConfigChanges.Changed> changes) {
  static ConfigVersionResponse of(ConfigVersion found) {
    return new ConfigVersionResponse(
        found.version(),
        found.at(),
        found.actor(),
        found.operation(),
        found.change().kind(),
        found.change().name(),
        found.cause().reason(),
        found.cause().reverts(),
        ConfigChanges.between(found.change().before(), found.change().after()));
  }
}
