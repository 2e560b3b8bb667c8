package dev.fairlead.people.audit.web;

import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigVersion;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One change of the configuration.
 *
 * @param version sequence number of the change's row in the audit log, which increases with each
 *     change
 * @param action id of the API operation
 * @param name name of the changed object, or its id if it has no name
 * @param reason reason for the change, null if none
 * @param reverts version that it reverts, null for any other change
 * @param changes differences after the change
 */
@RecordBuilder
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
    return ConfigVersionResponseBuilder.builder()
        .version(found.version())
        .at(found.at())
        .actor(found.actor())
        .action(found.operation())
        .kind(found.change().kind())
        .name(found.change().name())
        .reason(found.cause().reason())
        .reverts(found.cause().reverts())
        .changes(ConfigChanges.between(found.change().before(), found.change().after()))
        .build();
  }
}
