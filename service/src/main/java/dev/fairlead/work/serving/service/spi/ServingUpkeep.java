package dev.fairlead.work.serving.service.spi;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.work.serving.ServingGateway;

/**
 * Applies the routes of model services to clusters, in addition to the passes of their supervisors.
 */
public interface ServingUpkeep {
  /** Limits of one cluster. */
  interface OfCluster {
    /** Applies the routes in the background, unless the previous pass has not ended. */
    void carry(HeldLease lease, ServingGateway gateway);
  }

  OfCluster of(ClusterId cluster, MonotonicClock clock);
}
