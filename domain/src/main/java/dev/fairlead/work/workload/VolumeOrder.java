package dev.fairlead.work.workload;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.people.tenant.Project;

/**
 * Everything an adapter needs to create the claim of a volume, or to read it.
 *
 * @param epoch epoch of the calling supervisor
 * @param volume placed on the cluster. If the identity of its claim is set, no claim is created
 */
public record VolumeOrder(Installation installation, long epoch, Project project, Volume volume) {}
