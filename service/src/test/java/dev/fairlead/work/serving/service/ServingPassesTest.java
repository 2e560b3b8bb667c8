package dev.fairlead.work.serving.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.serving.ServiceRoute;
import dev.fairlead.work.serving.ServiceTraffic;
import dev.fairlead.work.serving.ServingGateway;
import dev.fairlead.work.serving.service.spi.ServingUpkeep;
import dev.fairlead.work.serving.signal.SignalReader;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Passes over one cluster. The clock stands still, so only changes are followed by a pass. */
class ServingPassesTest {
  private static final long BOUND_SECONDS = 60;
  private final MemoryStores stores = MemoryStores.empty(1);
  private final AtomicInteger count = new AtomicInteger();
  private final BlockingQueue<Integer> passes = new LinkedBlockingQueue<>();
  private final AtomicLong ready = new AtomicLong();
  private final CountDownLatch second = new CountDownLatch(1);
  private final ClusterId cluster = new ClusterId(stores.ids().next());
  private final HeldLease lease = null;
  private final ServingGateway gateway =
      new ServingGateway() {
        @Override
        public Optional<List<ServiceTraffic>> serve(List<ServiceRoute> routes) {
          passes.add(count.incrementAndGet());
          try {
            assertThat(count.get() != 2 || second.await(BOUND_SECONDS, TimeUnit.SECONDS)).isTrue();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return Optional.empty();
        }

        @Override
        public long changes() {
          return ready.get();
        }
      };
  private ServingUpkeep.OfCluster upkeep;

  @BeforeEach
  void firstPass() throws InterruptedException {
    ServingPass pass =
        new ServingPass(
            stores.services(),
            stores.configs(),
            stores.inventory(),
            new ReplicaSignals(
                stores.services(),
                stores.jobs(),
                stores.inventory(),
                (prometheus, signals) -> new SignalReader.Answer(new TreeMap<>(), ""),
                stores.transactions()),
            stores.transactions());
    upkeep = new ServingPasses(pass, stores.wakeUps()).of(cluster, () -> 0);
    upkeep.carry(lease, gateway);
    passed(1);
  }

  @AfterEach
  void released() {
    second.countDown();
  }

  /** The supervisor comes again and again, also while the pass before has not ended. */
  private void passed(int number) throws InterruptedException {
    Integer seen = null;
    for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(BOUND_SECONDS);
        seen == null && System.nanoTime() < end; ) {
      upkeep.carry(lease, gateway);
      seen = passes.poll(10, TimeUnit.MILLISECONDS);
    }
    assertThat(seen).isEqualTo(number);
  }

  /** Fails when stored weights reach the gateway only after two seconds. */
  @Test
  void otherWeightsAreFollowedByAPass() throws InterruptedException {
    second.countDown();
    stores.services().changed(WakeUps.Topic.ROUTES);
    passed(2);
    stores.services().changed(WakeUps.Topic.ROUTES);
    passed(3);
    assertThat(passes).isEmpty();
  }

  /** Fails when a ready replica is reported only after two seconds. */
  @Test
  void anotherReadyReplicaIsFollowedByAPass() throws InterruptedException {
    second.countDown();
    ready.incrementAndGet();
    passed(2);
    assertThat(passes).isEmpty();
  }

  /** Fails when weights that are stored during a pass wait for the supervisor. */
  @Test
  void weightsThatAreStoredDuringAPassAreFollowedByAnother() throws InterruptedException {
    stores.services().changed(WakeUps.Topic.ROUTES);
    passed(2);
    stores.services().changed(WakeUps.Topic.ROUTES);
    second.countDown();
    assertThat(passes.poll(BOUND_SECONDS, TimeUnit.SECONDS)).isEqualTo(3);
  }
}
