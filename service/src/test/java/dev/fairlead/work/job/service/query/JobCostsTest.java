package dev.fairlead.work.job.service.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import dev.fairlead.money.price.Quote;
import dev.fairlead.money.price.Validity;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.RayPoolJob;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Jobs with a known cost. */
class JobCostsTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final JobCosts costs = new JobCosts(stores.prices(), stores.inventory(), stores.jobs());

  private @Nullable Quote of(Job job, @Nullable Attempt attempt) {
    return costs.of(new JobView(world.job(job), "t", "p", "q", attempt, null, null, null));
  }

  /** Fails when the quote of a job with GPUs does not have them. */
  @Test
  void gpusOfALiveAttemptHaveTheirCost() {
    Job job = world.submit(Specs.job("runs").gpus(2));
    Attempt attempt = world.run(world.place(job, 0, "node-1"));
    assertThat(of(job, attempt))
        .extracting(quote -> quote.lines().getFirst().gpuMilli())
        .isEqualTo(2000L);
    assertThat(of(job, world.succeed(attempt))).as("ended").isNull();
    assertThat(of(job, null)).as("never placed").isNull();
  }

  /** Fails when the newest element represents the whole array. */
  @Test
  void arrayHasNoCost() {
    Job array = world.submit(Specs.job("array").gpus(1).array("0-3"));
    assertThat(of(array, world.run(world.place(array, 0, "node-1")))).isNull();
  }

  /** Fails when the pool of a removed node is guessed. */
  @Test
  void jobOnAForgottenNodeHasNoCost() {
    Job job = world.submit(Specs.job("runs").gpus(1));
    Attempt attempt = world.run(world.place(job, 0, "node-1"));
    Member placed = attempt.members().getFirst();
    Member elsewhere =
        Member.planned(
            placed.role(),
            placed.index(),
            new NodeId(new UUID(0, 404)),
            "gone",
            placed.flavor(),
            placed.request(),
            placed.gpus());
    assertThat(of(job, attempt.with(List.of(elsewhere)))).isNull();
  }

  /** Fails when a job without GPUs costs nothing instead of having no cost. */
  @Test
  void jobWithoutGpusHasNoCost() {
    Job job = world.submit(Specs.job("small"));
    assertThat(of(job, world.run(world.place(job, 0, "node-1")))).isNull();
  }

  /** Fails when a driver costs nothing, or two drivers cost their Ray cluster twice. */
  @Test
  void aDriverHasItsShareOfTheRayCluster() {
    Job cluster = world.submit(Specs.job("small-ray-1").gpus(2).label(RayPoolJob.CLUSTER, "x"));
    Attempt _ = world.run(world.place(cluster, 0, "node-1"));
    Job one = world.submit(Specs.job("one").label(RayPoolJob.DRIVER, "small-ray-1"));
    Attempt first = world.run(world.place(one, 0, "node-1"));
    assertThat(of(one, first))
        .extracting(quote -> quote.lines().getFirst().gpuMilli())
        .isEqualTo(2000L);
    Job two = world.submit(Specs.job("two").label(RayPoolJob.DRIVER, "small-ray-1"));
    Attempt _ = world.run(world.place(two, 0, "node-1"));
    assertThat(of(one, first))
        .extracting(quote -> quote.lines().getFirst().gpuMilli())
        .isEqualTo(1000L);
  }

  private void price(String euros) {
    Instant from = world.now().minus(Duration.ofDays(1));
    Price price =
        new Price(
            new PriceId(stores.ids().next()),
            new PriceScope(world.cluster().id(), null, null, null),
            new Money(new BigDecimal(euros).movePointRight(6).longValueExact(), "EUR"),
            new Validity(from, null),
            null,
            null,
            from);
    stores.transactions().run(() -> stores.configs().put(price.document()));
  }

  /** Fails when a driver costs its last share for its entire time, or nothing after its end. */
  @Test
  void aDriverHasTheSumOfItsSharesUntilItsEnd() {
    price("3.60");
    Job cluster = world.submit(Specs.job("small-ray-1").gpus(2).label(RayPoolJob.CLUSTER, "x"));
    Attempt _ = world.run(world.place(cluster, 0, "node-1"));
    Job one = world.submit(Specs.job("one").label(RayPoolJob.DRIVER, "small-ray-1"));
    Attempt first = world.run(world.place(one, 0, "node-1"));
    stores.advance(Duration.ofSeconds(100));
    Job two = world.submit(Specs.job("two").label(RayPoolJob.DRIVER, "small-ray-1"));
    Attempt _ = world.run(world.place(two, 0, "node-1"));
    stores.advance(Duration.ofSeconds(100));
    Attempt ended = world.succeed(first);
    stores.advance(Duration.ofSeconds(100));

    assertThat(of(one, ended))
        .satisfies(quote -> {
          assertThat(quote.soFar()).isEqualTo(new Money(300_000, "EUR"));
          assertThat(quote.lines()).isEmpty();
        });
  }

  /** Fails when the wait of a driver for its retry lowers the shares of the others. */
  @Test
  void aDriverThatWaitsForItsRetrySharesNoCost() {
    price("3.60");
    Job cluster = world.submit(Specs.job("small-ray-1").gpus(2).label(RayPoolJob.CLUSTER, "x"));
    Attempt _ = world.run(world.place(cluster, 0, "node-1"));
    Job two = world.submit(Specs.job("two").label(RayPoolJob.DRIVER, "small-ray-1"));
    Attempt _ = world.fail(world.run(world.place(two, 0, "node-1")), FailureCause.NODE_FAILURE);
    stores.advance(Duration.ofSeconds(100));
    Job one = world.submit(Specs.job("one").label(RayPoolJob.DRIVER, "small-ray-1"));
    Attempt first = world.run(world.place(one, 0, "node-1"));
    stores.advance(Duration.ofSeconds(100));

    assertThat(world.job(two).state()).isEqualTo(JobState.QUEUED);
    assertThat(of(one, first)).extracting(Quote::soFar).isEqualTo(new Money(200_000, "EUR"));
  }
}
