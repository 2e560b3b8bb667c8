package dev.fairlead.front.service.spi;

import dev.fairlead.front.FrontGateway;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.MonotonicClock;

/** Handles the Jobs of front clusters, independently of their supervisors' passes. */
public interface FrontUpkeep {
  /** Handles no cluster. */
  FrontUpkeep NONE = (cluster, clock) -> (lease, gateway) -> {};

  /** Handles one cluster. */
  interface OfCluster {
    /** Starts a pass in the background, unless the previous pass still runs. */
    void carry(HeldLease lease, FrontGateway gateway);

    /** Stops the watch because another process handles the Jobs, even during a running pass. */
    default void leave(FrontGateway gateway) {
      gateway.follow(false);
    }
  }

  OfCluster of(ClusterId cluster, MonotonicClock clock);
}
