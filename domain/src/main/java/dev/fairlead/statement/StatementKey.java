package dev.fairlead.statement;

import dev.fairlead.identity.ClusterId;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.resources.Flavor;
import dev.fairlead.tenant.ProjectId;
import org.jspecify.annotations.Nullable;

/**
 * What a line of a statement is of.
 *
 * @param cluster null where the hours do not say it
 * @param pool name of the pool of the node when the use began, empty for none
 */
public record StatementKey(
    ProjectId project,
    QuotaNodeId queue,
    @Nullable ClusterId cluster,
    String pool,
    Flavor flavor) {}
