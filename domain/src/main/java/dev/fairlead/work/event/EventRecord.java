package dev.fairlead.work.event;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A stored fact.
 *
 * @param version version of the subject after the change. Several facts of one change share it
 * @param at the database's clock at the change. Informative, order is the position's
 * @param context null for an event of a budget or the fleet
 */
@RecordBuilder
public record EventRecord(
    EventPosition position,
    Instant at,
    Fact fact,
    IdKind subject,
    UUID subjectId,
    long version,
    String actor,
    TenantId tenant,
    @Nullable ProjectId project,
    @Nullable EventContext context) {}
