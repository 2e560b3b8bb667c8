package dev.fairlead.people.audit.web;

import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigVersion;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One change of the configuration.
 *
 * @param version number of its row in the audit, which a later change exceeds
 * @param action id of the operation of the API
 * @param name of what was changed; its id where it has no name
 * @param reason why, null when none was given
 * @param reverts the version that it goes back from, null for any other change
 * @param changes what is other behind it
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
