package dev.fairlead.work.serving.service;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.problem.FatalErrors;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.serving.ServingGateway;
import dev.fairlead.work.serving.service.spi.ServingUpkeep;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * A pass over each cluster every two seconds, and soon after other weights are stored or other
 * replicas are ready. Each cluster has a separate thread: a hanging gateway delays no other cluster
 * and no supervisor.
 */
@Component
public class ServingPasses implements ServingUpkeep {
  private static final Logger LOG = LoggerFactory.getLogger(ServingPasses.class);
  private static final Duration EVERY = Duration.ofSeconds(2);

  /** Shortest time between two passes over a cluster. */
  private static final Duration REST = Duration.ofMillis(500);

  private final ServingPass pass;
  private final AtomicLong weights = new AtomicLong();

  ServingPasses(ServingPass pass, WakeUps wakeUps) {
    this.pass = pass;
    WakeUps.Subscription _ = wakeUps.subscribe(WakeUps.Topic.ROUTES, weights::incrementAndGet);
  }

  @Override
  public OfCluster of(ClusterId cluster, MonotonicClock clock) {
    return new Passes(cluster, Recurring.fromNowOn(clock, EVERY));
  }

  /** The passes over one cluster, one after the other. */
  private final class Passes implements OfCluster {
    private final ClusterId cluster;
    private final Recurring look;
    private final AtomicBoolean busy = new AtomicBoolean();
    private volatile long passed = -1;

    Passes(ClusterId cluster, Recurring look) {
      this.cluster = cluster;
      this.look = look;
    }

    @Override
    public void carry(HeldLease lease, ServingGateway gateway) {
      if ((look.due() || changes(gateway) != passed) && busy.compareAndSet(false, true)) {
        look.done();
        Thread _ =
            Thread.ofVirtual().name("serving-" + cluster.bare()).start(() -> run(lease, gateway));
      }
    }

    private long changes(ServingGateway gateway) {
      return weights.get() + gateway.changes();
    }

    /** A change during a pass is followed by another pass. */
    private void run(HeldLease lease, ServingGateway gateway) {
      do {
        passed = changes(gateway);
        boolean done = pass(lease, gateway);
        LockSupport.parkNanos(REST.toNanos());
        busy.set(false);
        if (!done) {
          return;
        }
      } while (changes(gateway) != passed && busy.compareAndSet(false, true));
    }

    private boolean pass(HeldLease lease, ServingGateway gateway) {
      try {
        pass.run(cluster, lease, gateway);
        return true;
      } catch (FenceLost deposed) {
        LOG.debug("cluster {}: another process applies its routes", cluster.text());
      } catch (Throwable failed) {
        FatalErrors.rethrow(failed);
        LOG.warn("cluster {}: its routes are applied again", cluster.text(), failed);
      }
      return false;
    }
  }
}
