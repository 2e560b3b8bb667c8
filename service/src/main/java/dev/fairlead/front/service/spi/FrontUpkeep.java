package dev.fairlead.front.service.spi;

import dev.fairlead.front.FrontGateway;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.MonotonicClock;

/** Looks after the Jobs of front clusters, beside the turns of their supervisors. */
public interface FrontUpkeep {
  /** Looks after none. */
  FrontUpkeep NONE = (cluster, clock) -> (lease, gateway) -> {};

  /** Of one cluster. */
  interface OfCluster {
    /** Looks in the background, unless the look before is not at its end. */
    void carry(HeldLease lease, FrontGateway gateway);

    /** Another process looks after them: they are not watched any more, nor by a look under way. */
    default void leave(FrontGateway gateway) {
      gateway.follow(false);
    }
  }

  OfCluster of(ClusterId cluster, MonotonicClock clock);
}
