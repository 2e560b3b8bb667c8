package dev.fairlead.front.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.e2e.FairleadSubmits;
import dev.fairlead.e2e.InMemoryFairlead;
import dev.fairlead.front.FrontGateway;
import dev.fairlead.front.FrontNamespace;
import dev.fairlead.front.service.spi.FrontUpkeep;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Passes over fronts, independent of their supervisors' passes. */
class FrontPassesTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final MemoryStores stores = fairlead.stores();
  private final ClusterId front = TestWorld.in(stores).cluster().id();
  private final HeldLease lease = stores.leases().create("cluster/front", "me").orElseThrow();
  private final AtomicLong nanos = new AtomicLong();
  private final FrontUpkeep.OfCluster upkeep = passes().of(front, nanos::get);
  private final AtomicBoolean watched = new AtomicBoolean();
  private final CountDownLatch ends = new CountDownLatch(2);

  private FrontPasses passes() {
    JobSubmits submits = FairleadSubmits.of(fairlead);
    return new FrontPasses(
        stores.fronts(),
        new FrontSteps(
            stores.fronts(),
            new FrontSubmits(
                (actor, project, json) -> Specs.job("x").build(),
                submits,
                stores.jobs(),
                stores.tenants()),
            stores.jobs(),
            stores.inventory(),
            stores.transactions(),
            stores.clock(),
            new SimpleMeterRegistry()),
        FrontCluster.NO_SERVICES);
  }

  /** A gateway whose lease is lost just before the pass watches its Jobs. */
  private final FrontGateway gateway =
      (FrontGateway)
          Proxy.newProxyInstance(
              FrontGateway.class.getClassLoader(),
              new Class<?>[] {FrontGateway.class},
              (self, method, arguments) -> {
                if (!method.getName().equals("follow")) {
                  return method.invoke(FrontGateway.NONE, arguments);
                }
                if ((Boolean) arguments[0]) {
                  upkeep.leave((FrontGateway) self);
                  watched.set(true);
                } else {
                  watched.set(false);
                  ends.countDown();
                }
                return null;
              });

  /** Fails when a process that no longer supervises a cluster watches its Jobs permanently. */
  @Test
  void passRunningWhenTheLeaseIsLostEndsWithoutAWatch() throws InterruptedException {
    stores
        .fronts()
        .put(
            new FrontNamespace(
                front,
                "team-a",
                fairlead.project().tenant(),
                fairlead.project().id(),
                "ada",
                stores.clock().instant()));
    nanos.set(Duration.ofSeconds(10).toNanos());

    upkeep.carry(lease, gateway);

    assertThat(ends.await(60, TimeUnit.SECONDS)).as("it is left, and ends").isTrue();
    assertThat(watched).isFalse();
  }
}
