package dev.fairlead.work.job.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.Counters;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class CountersLoopTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private long nanos;
  private final SortedSet<Counters.Kind> broken = new TreeSet<>();
  private final CountersLoop loop =
      new CountersLoop(
          new Leases(
              stores.leases(),
              new LeaseTimes(
                  Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(20)),
              () -> nanos,
              "me"),
          new Breaking(),
          stores.transactions(),
          metrics);

  /** Counters whose repair fails for some kinds. */
  private final class Breaking implements Counters {
    @Override
    public List<Drift> compare() {
      return stores.counters().compare();
    }

    @Override
    public List<Drift> repair(Collection<Drift> found) {
      if (found.stream().anyMatch(drift -> broken.contains(drift.kind()))) {
        throw new IllegalStateException("a row is locked");
      }
      return stores.counters().repair(found);
    }
  }

  private void pass(Duration time) {
    for (Duration left = time; left.isPositive(); left = left.minusSeconds(5)) {
      nanos += Duration.ofSeconds(5).toNanos();
      loop.tick();
    }
  }

  @Test
  void aDriftIsRepairedWithinFiveMinutesAndCounted() {
    Attempt attempt = world.run(world.place(world.submit(Specs.job("a").gpus(1)), 0, "node-1"));
    stores.miscount(world.queue(), attempt.members().getFirst());

    pass(Duration.ofMinutes(6));

    assertThat(stores.counters().compare()).isEmpty();
    assertThat(metrics.counter("fairlead.counters.drift", "kind", "NODE").count()).isPositive();
  }

  /** Fails when all kinds are repaired in one transaction. */
  @Test
  void unrepairableKindDoesNotStopTheOthers() {
    Attempt attempt = world.run(world.place(world.submit(Specs.job("a").gpus(1)), 0, "node-1"));
    stores.miscount(world.queue(), attempt.members().getFirst());
    assertThat(stores.counters().compare())
        .extracting(Counters.Drift::kind)
        .contains(Counters.Kind.QUOTA, Counters.Kind.NODE);
    broken.add(Counters.Kind.QUOTA);

    pass(Duration.ofMinutes(6));

    assertThat(stores.counters().compare())
        .extracting(Counters.Drift::kind)
        .containsOnly(Counters.Kind.QUOTA);
    assertThat(loop.passedOver()).isPositive();
    broken.clear();
    pass(Duration.ofMinutes(6));
    assertThat(stores.counters().compare()).isEmpty();
  }

  @Test
  void processWithoutTheLeaseRepairsNothing() {
    stores.leases().create("counters", "other");
    Attempt attempt = world.run(world.place(world.submit(Specs.job("a").gpus(1)), 0, "node-1"));
    stores.miscount(world.queue(), attempt.members().getFirst());

    for (int i = 0; i < 100; i++) {
      nanos += Duration.ofSeconds(5).toNanos();
      stores
          .leases()
          .read("counters")
          .ifPresent(row ->
              stores
                  .leases()
                  .renew(
                      new dev.fairlead.kernel.lease.HeldLease(
                          "counters", "other", row.epoch(), row.renewals(), 0),
                      false));
      loop.tick();
    }

    assertThat(stores.counters().compare()).isNotEmpty();
  }
}
