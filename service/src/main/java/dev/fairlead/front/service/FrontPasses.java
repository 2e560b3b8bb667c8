package dev.fairlead.front.service;

import dev.fairlead.front.FrontGateway;
import dev.fairlead.front.FrontStore;
import dev.fairlead.front.service.spi.FrontUpkeep;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.problem.FatalErrors;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.work.serving.service.spi.ObjectServices;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Runs a pass over each front cluster every two seconds, each on a separate thread, so that a
 * hanging cluster delays neither other clusters nor supervisors.
 */
@Component
public class FrontPasses implements FrontUpkeep {
  private static final Logger LOG = LoggerFactory.getLogger(FrontPasses.class);
  private static final Duration EVERY = Duration.ofSeconds(2);
  private final FrontStore fronts;
  private final FrontSteps steps;
  private final ObjectServices services;

  FrontPasses(FrontStore fronts, FrontSteps steps, ObjectServices services) {
    this.fronts = fronts;
    this.steps = steps;
    this.services = services;
  }

  @Override
  public OfCluster of(ClusterId cluster, MonotonicClock clock) {
    Executor threads = task -> Thread.ofVirtual().name("front-" + cluster.bare()).start(task);
    return new Background(
        () -> steps.name(cluster),
        new FrontPass(cluster, fronts, steps, services, threads, clock),
        () -> steps.reads().ends(cluster, clock),
        threads,
        clock);
  }

  private static final class Background implements OfCluster {
    private final Supplier<String> name;
    private final FrontPass pass;
    private final Runnable unread;
    private final Executor threads;
    private final Recurring look;
    private final AtomicBoolean busy = new AtomicBoolean();
    private volatile boolean left;

    Background(
        Supplier<String> name,
        FrontPass pass,
        Runnable unread,
        Executor threads,
        MonotonicClock clock) {
      this.name = name;
      this.pass = pass;
      this.unread = unread;
      this.threads = threads;
      this.look = Recurring.fromNowOn(clock, EVERY);
    }

    @Override
    public void carry(HeldLease lease, FrontGateway gateway) {
      left = false;
      if (look.due() && busy.compareAndSet(false, true)) {
        look.done();
        threads.execute(() -> {
          try {
            pass.run(lease, gateway);
          } catch (FenceLost deposed) {
            LOG.debug("cluster {}: another process handles its Jobs", name.get());
          } catch (Throwable failed) {
            FatalErrors.rethrow(failed);
            LOG.warn("cluster {}: its Jobs are checked again", name.get(), failed);
          } finally {
            busy.set(false);
            if (left) {
              leave(gateway);
            }
          }
        });
      }
    }

    @Override
    public void leave(FrontGateway gateway) {
      left = true;
      gateway.follow(false);
      unread.run();
    }
  }
}
