package dev.fairlead.work.serving.service;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.problem.FatalErrors;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.work.serving.ServingGateway;
import dev.fairlead.work.serving.service.spi.ServingUpkeep;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * A pass over each cluster every two seconds, each on a separate thread: a hanging gateway delays
 * neither other clusters nor supervisors.
 */
@Component
public class ServingPasses implements ServingUpkeep {
  private static final Logger LOG = LoggerFactory.getLogger(ServingPasses.class);
  private static final Duration EVERY = Duration.ofSeconds(2);
  private final ServingPass pass;

  ServingPasses(ServingPass pass) {
    this.pass = pass;
  }

  @Override
  public OfCluster of(ClusterId cluster, MonotonicClock clock) {
    Recurring look = Recurring.fromNowOn(clock, EVERY);
    AtomicBoolean busy = new AtomicBoolean();
    return (lease, gateway) -> {
      if (look.due() && busy.compareAndSet(false, true)) {
        look.done();
        Thread _ =
            Thread.ofVirtual()
                .name("serving-" + cluster.bare())
                .start(() -> run(cluster, lease, gateway, busy));
      }
    };
  }

  private void run(ClusterId cluster, HeldLease lease, ServingGateway gateway, AtomicBoolean busy) {
    try {
      pass.run(cluster, lease, gateway);
    } catch (FenceLost deposed) {
      LOG.debug("cluster {}: another process applies its routes", cluster.text());
    } catch (Throwable failed) {
      FatalErrors.rethrow(failed);
      LOG.warn("cluster {}: its routes are applied again", cluster.text(), failed);
    } finally {
      busy.set(false);
    }
  }
}
