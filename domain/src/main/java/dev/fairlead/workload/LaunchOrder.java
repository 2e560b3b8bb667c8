package dev.fairlead.workload;

import dev.fairlead.cluster.Capabilities;
import dev.fairlead.job.Attempt;
import dev.fairlead.job.Job;
import dev.fairlead.lease.Installation;
import dev.fairlead.tenant.Project;
import dev.fairlead.tenant.Tenant;

/**
 * Everything an adapter needs to create the objects of an attempt; two orders for one attempt are
 * equal but for the term.
 *
 * @param term term of the supervisor that creates
 */
public record LaunchOrder(
    Installation installation,
    long term,
    Tenant tenant,
    Project project,
    Job job,
    Attempt attempt,
    Capabilities capabilities) {}
