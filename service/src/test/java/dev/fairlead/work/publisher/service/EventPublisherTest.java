package dev.fairlead.work.publisher.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.trace.JobSpan;
import dev.fairlead.kernel.trace.TraceExporter;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Collection;
import org.junit.jupiter.api.Test;

class EventPublisherTest {
  private static final LeaseTimes TIMES =
      new LeaseTimes(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(20));
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private long nanos;
  private final EventPublisher publisher =
      new EventPublisher(
          new Leases(stores.leases(), TIMES, () -> nanos, "one"),
          stores.events(),
          stores.fleetEvents(),
          stores.transactions(),
          new JobTraces(stores.jobs(), stores.transactions(), new NoTraces(), metrics),
          world::now,
          metrics);

  private static final class NoTraces implements TraceExporter {
    @Override
    public boolean on() {
      return false;
    }

    @Override
    public double ratio() {
      return 0;
    }

    @Override
    public void send(Collection<JobSpan> spans) {}
  }

  private void pass() {
    nanos += Duration.ofSeconds(5).toNanos();
    publisher.tick();
  }

  /** Fails when the copies for projects are counted. */
  @Test
  void fleetChangeIsCountedOnceForAnyNumberOfProjects() {
    for (int i = 0; i < 20; i++) {
      pass();
    }
    world.place(world.submit(Specs.job("mine").gpus(1)), 0, "node-1");
    stores.inventory().order(world.node("node-1").id(), NodeOrder.CORDON);
    pass();

    assertThat(counted("NodeCordoned")).isOne();
    assertThat(counted("JobSubmitted")).isOne();
  }

  private double counted(String type) {
    return metrics.counter(Metric.EVENTS.meter(), Metric.EVENTS.tags(type)).count();
  }
}
