package dev.fairlead.front.service;

import dev.fairlead.front.FrontGateway;
import dev.fairlead.front.FrontStore;
import dev.fairlead.front.service.spi.FrontUpkeep;
import dev.fairlead.front.service.spi.JobDocuments;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.serving.service.spi.ObjectServices;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;

/**
 * Passes of one simulated process over one front cluster, every two seconds in the passes of its
 * supervisor, without a separate thread.
 */
public final class FrontProcess implements FrontUpkeep {
  private static final Duration EVERY = Duration.ofSeconds(2);

  private final ClusterId front;
  private final FrontGateway gateway;
  private final FrontStore fronts;
  private final FrontSteps steps;
  private final ObjectServices services;

  /**
   * @param gateway the connection of this process to the front
   */
  public FrontProcess(
      ClusterId front,
      FrontGateway gateway,
      FrontStore fronts,
      JobStore jobs,
      JobDocuments documents,
      JobSubmits submits,
      ObjectServices services,
      MemoryStores stores,
      Transactions transactions) {
    this.front = front;
    this.gateway = gateway;
    this.fronts = fronts;
    this.services = services;
    this.steps =
        new FrontSteps(
            fronts,
            new FrontSubmits(documents, submits, jobs, stores.tenants()),
            jobs,
            stores.inventory(),
            transactions,
            stores.clock(),
            new SimpleMeterRegistry());
  }

  @Override
  public OfCluster of(ClusterId cluster, MonotonicClock clock) {
    if (!cluster.equals(front)) {
      return FrontUpkeep.NONE.of(cluster, clock);
    }
    return new Passes(new FrontPass(cluster, fronts, steps, services, Runnable::run, clock), clock);
  }

  private final class Passes implements OfCluster {
    private final FrontPass pass;
    private final Recurring look;

    private Passes(FrontPass pass, MonotonicClock clock) {
      this.pass = pass;
      this.look = Recurring.fromNowOn(clock, EVERY);
    }

    @Override
    public void carry(HeldLease lease, FrontGateway unused) {
      if (look.due()) {
        look.done();
        try {
          pass.run(lease, gateway);
        } catch (FenceLost deposed) {
          /* another process has the lease */
        }
      }
    }
  }
}
