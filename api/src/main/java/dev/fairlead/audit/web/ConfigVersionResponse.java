package dev.fairlead.audit.web;

import dev.fairlead.audit.ConfigKind;
import dev.fairlead.audit.ConfigVersion;
import java.time.Instant;
import java.util.List;

/**
 * One change of the configuration.
 *
 * @param version number of its row in the audit, which a later change exceeds
 * @param action id of the operation of the API
 * @param name of what was changed; its id where it has no name
 * @param changes what is other behind it
 */
record ConfigVersionResponse(
    long version,
    Instant at,
    String actor,
    String action,
    ConfigKind kind,
    String name,
    List<ConfigChanges.Changed> changes) {
  static ConfigVersionResponse of(ConfigVersion found) {
    return new ConfigVersionResponse(
        found.version(),
        found.at(),
        found.actor(),
        found.operation(),
        found.change().kind(),
        found.change().name(),
        ConfigChanges.between(found.change().before(), found.change().after()));
  }
}
