package dev.fairlead.money.statement;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.people.tenant.ProjectId;

/**
 * Key of a line in a statement.
 *
 * @param pool name of the pool of the node when the use began, empty if none
 */
public record StatementKey(
    ProjectId project, QuotaNodeId queue, ClusterId cluster, String pool, Flavor flavor) {}
