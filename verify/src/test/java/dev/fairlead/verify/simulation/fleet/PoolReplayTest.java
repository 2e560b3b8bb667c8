package dev.fairlead.verify.simulation.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.engine.timelapse.trace.Arrival;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The short form of {@code make pool-replay}: half a day and more of generated jobs. */
class PoolReplayTest {
  private static final int JOBS = 40;
  private static final PoolPlan PLAN =
      new PoolPlan(
          PoolPlan.TYPES.stream()
              .map(type ->
                  new FleetWorld.Site(
                      PoolPlan.cluster(type), List.of(new FleetPool(2, 4, "H100", 1, 1)), type))
              .toList(),
          jobs(),
          0,
          PoolPlan.Prices.of(1100, 2490, 900),
          Duration.ofMinutes(2),
          Duration.ofMinutes(10),
          Duration.ofHours(3),
          1);

  private static final Map<PoolPolicy, PoolRecord> SEEN = new EnumMap<>(PoolPolicy.class);

  @BeforeAll
  static void quiet() {
    Program.quiet();
  }

  /** A plan has the same result each time, so it runs once. */
  private static PoolRecord seen(PoolPolicy policy) {
    return SEEN.computeIfAbsent(policy, p -> PoolReplay.run(PLAN, p));
  }

  /** Runs for 14 hours, so that a price changes midway. */
  private static List<PoolPlan.PoolJob> jobs() {
    SplittableRandom chance = new SplittableRandom(7);
    List<PoolPlan.PoolJob> jobs = new ArrayList<>();
    for (int i = 0; i < JOBS; i++) {
      CapacityType home = PoolPlan.TYPES.get(chance.nextInt(PoolPlan.TYPES.size()));
      GpuRequest gpus = GpuRequest.whole(1 << chance.nextInt(3));
      long run = chance.nextLong(600, 7200);
      int members = 1 + chance.nextInt(2);
      Arrival job = new Arrival("j" + i, "q", i * 1260L, run, members, gpus, 1000, 1024);
      jobs.add(new PoolPlan.PoolJob(job, home));
    }
    return jobs;
  }

  /**
   * Fails when a job is lost or runs twice concurrently, a statement omits usage or applies a price
   * outside its validity, or the causes of spill do not add up.
   */
  @ParameterizedTest
  @EnumSource
  void everyJobEndsAndStatementsAddUp(PoolPolicy policy) {
    PoolRecord seen = seen(policy);

    assertThat(seen.broken()).isEmpty();
    assertThat(seen.finished()).isEqualTo(JOBS);
    assertThat(seen.spilled()).isPositive();
    assertThat(seen.supplier().bought()).as("on-demand nodes").isPositive();
    assertThat(seen.supplier().gpuHours()).isGreaterThan(seen.onDemandHours());
    assertThat(seen.moves() > 0).as("moves back").isEqualTo(policy == PoolPolicy.MOVE_BACK);
    int prices = policy == PoolPolicy.ISLANDS ? 2 : 1;
    assertThat(seen.prices(CapacityType.ON_DEMAND))
        .as("before and after the change")
        .hasSizeGreaterThanOrEqualTo(prices);
  }

  /** Fails when tiers do not keep jobs on reserved capacity. */
  @Test
  void reservedFirstUsesReservedGpusMoreAndPaysLessThanIslands() {
    PoolRecord islands = seen(PoolPolicy.ISLANDS);
    PoolRecord first = seen(PoolPolicy.RESERVED_FIRST);
    long hours = Math.max(islands.hours(), first.hours());

    assertThat(islands.evictions()).as("notices came").isPositive();
    assertThat(first.reservedUse(hours)).isGreaterThan(islands.reservedUse(hours));
    assertThat(first.paid(hours)).isLessThan(islands.paid(hours));
    assertThat(first.servable()).isLessThan(islands.servable());
  }
}
