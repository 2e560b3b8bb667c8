package dev.fairlead.money.statement;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.people.tenant.ProjectId;
import org.jspecify.annotations.Nullable;

/**
 * Key of a line in a statement.
 *
 * @param cluster null if the hours do not contain it
 * @param pool name of the pool of the node when the use began, empty for none
 */
public record StatementKey(
    ProjectId project,
    QuotaNodeId queue,
    @Nullable ClusterId cluster,
    String pool,
    Flavor flavor) {}
