package dev.fairlead.money.usage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.usage.GpuHistory.Seen;
import dev.fairlead.money.usage.GpuHistory.Use;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class GpuTimeTest {
  private static final int HORIZON = 60;
  private static final FleetPart PART =
      new FleetPart(new ClusterId(new UUID(0, 1)), "", null, "H100", CapacityType.RESERVED);

  private static UsageOwner owner(String user) {
    UUID id = new UUID(0, 1);
    return new UsageOwner(
        new TenantId(id),
        new ProjectId(id),
        new QuotaNodeId(id),
        user,
        PART.cluster(),
        "",
        new Flavor(PART.model(), CapacityType.RESERVED),
        null,
        Collections.emptySortedMap());
  }

  private static GpuTime of(List<Seen> states, List<Use> uses) {
    return GpuTime.of(new GpuHistory(0, PART, states, uses), 0, HORIZON);
  }

  private static Use slice(int start, int from, int to) {
    return new Use(from, to, owner("ada"), 125, 1 << start);
  }

  /** Fails when slices of a node count as one GPU: overbooked, or with a free remainder. */
  @Test
  void slicesOfANodeCountWhileMembersHoldThem() {
    List<Use> uses =
        List.of(
            new Use(0, 40, owner("ada"), 1750, 0),
            new Use(10, 20, owner("bo"), 125, 0),
            new Use(50, 60, owner("bo"), 125, 0));
    List<Seen> states =
        List.of(new Seen(0, 30, UsageBucket.FREE, 0), new Seen(30, HORIZON, UsageBucket.SICK, 0));

    GpuTime time = GpuTime.of(new GpuHistory(GpuHistory.SLICES, PART, states, uses), 0, HORIZON);

    assertThat(time.used())
        .containsOnly(Map.entry(owner("ada"), 30 * 1750L), Map.entry(owner("bo"), 10 * 125L));
    assertThat(time.buckets())
        .containsOnly(
            Map.entry(UsageBucket.USED, 30 * 1750L + 10 * 125),
            Map.entry(UsageBucket.SICK, 10 * 1750L + 10 * 125));
    assertThat(time.overbooked()).isZero();
  }

  @Test
  void sevenSlicesOfTheSmallestProfileLeaveAnEighthOfTheGpuStranded() {
    // Fails when a slice counts as a whole GPU, or a remainder without room for a slice counts as
    // free.
    GpuTime time =
        of(
            List.of(new Seen(0, HORIZON, UsageBucket.FREE, 0)),
            IntStream.range(0, 7).mapToObj(i -> slice(i, 0, 10)).toList());

    assertThat(time.buckets())
        .containsOnly(
            Map.entry(UsageBucket.USED, 8_750L),
            Map.entry(UsageBucket.STRANDED, 1_250L),
            Map.entry(UsageBucket.FREE, 50_000L));
    assertThat(time.overbooked()).isZero();
  }

  @Test
  void unhealthyOutranksMaintenanceAndUseOutranksReservations() {
    // Fails when the order of the buckets changes.
    GpuTime time =
        of(
            List.of(
                new Seen(0, 10, UsageBucket.SICK, 1000),
                new Seen(10, 20, UsageBucket.MAINTENANCE, 1000),
                new Seen(20, 30, UsageBucket.FREE, 700)),
            List.of(new Use(5, 25, owner("ada"), 600, 0)));

    assertThat(time.buckets())
        .containsOnly(
            Map.entry(UsageBucket.SICK, 10_000L),
            Map.entry(UsageBucket.MAINTENANCE, 10_000L),
            Map.entry(UsageBucket.USED, 3_000L),
            Map.entry(UsageBucket.KEPT, 5_500L),
            Map.entry(UsageBucket.FREE, 1_500L));
  }

  @Test
  void allocatedGpuCountsAsPresentWhileUnobserved() {
    assertThat(of(List.of(), List.of(new Use(10, 20, owner("ada"), 250, 0))).buckets())
        .containsOnly(Map.entry(UsageBucket.USED, 2_500L), Map.entry(UsageBucket.FREE, 7_500L));
  }

  /** Fails when a device that two members hold completely is not reported. */
  @Test
  void duplicateIntervalIsDetected() {
    Use whole = new Use(0, 10, owner("ada"), 1000, 0);
    assertThat(of(List.of(), List.of(whole, whole)).overbooked()).isEqualTo(10_000);
  }

  /** Fails when a slice that is counted whole is not noticed. */
  @Test
  void sliceCountedAsAWholeGpuIsDetected() {
    Use whole = new Use(0, 10, owner("ada"), 1000, 1);
    assertThat(of(List.of(), List.of(whole, slice(1, 0, 10))).overbooked()).isEqualTo(1_250);
  }

  /** Fails when an interval without an end does not shorten the following intervals. */
  @Test
  void missingEndIsDetected() {
    Use open = new Use(0, Long.MAX_VALUE, owner("ada"), 1000, 0);
    Use next = new Use(20, 30, owner("bob"), 1000, 0);
    assertThat(of(List.of(), List.of(open, next)).overbooked()).isEqualTo(10_000);
  }

  @Test
  void bucketsMatchAMillisecondCount() {
    // Fails when a span is cut wrongly, or counted in two buckets or in none.
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      List<Seen> states = states(random);
      List<Use> uses = uses(random);
      GpuTime time = of(states, uses);

      assertThat(time.buckets()).as("seed %d", seed).isEqualTo(counted(states, uses));
      assertThat(time.used().values().stream().mapToLong(Long::longValue).sum())
          .isEqualTo(time.buckets().getOrDefault(UsageBucket.USED, 0L));
      assertThat(time.overbooked()).isZero();
      long cut = random.nextInt(HORIZON);
      GpuHistory gpu = new GpuHistory(0, PART, states, uses);
      assertThat(physical(GpuTime.of(gpu, 0, cut)) + physical(GpuTime.of(gpu, cut, HORIZON)))
          .isEqualTo(physical(time));
    }
  }

  private static List<Seen> states(Random random) {
    List<Seen> states = new ArrayList<>();
    UsageBucket[] seen = {UsageBucket.SICK, UsageBucket.MAINTENANCE, UsageBucket.FREE};
    int at = random.nextInt(20) - 10;
    while (at < HORIZON) {
      int to = at + 1 + random.nextInt(30);
      if (random.nextInt(4) > 0) {
        states.add(new Seen(at, to, seen[random.nextInt(3)], random.nextInt(1001)));
      }
      at = to;
    }
    return states;
  }

  /** Up to four shares of a quarter, each with consecutive members. */
  private static List<Use> uses(Random random) {
    List<Use> uses = new ArrayList<>();
    for (int share = 0; share < 4; share++) {
      int at = random.nextInt(30) - 10;
      while (at < HORIZON && random.nextInt(5) > 0) {
        int to = at + random.nextInt(25);
        uses.add(new Use(at, to, owner("user-" + random.nextInt(3)), 1 + random.nextInt(250), 0));
        at = to + random.nextInt(3);
      }
    }
    return uses;
  }

  private static Map<UsageBucket, Long> counted(List<Seen> states, List<Use> uses) {
    Map<UsageBucket, Long> sums = new EnumMap<>(UsageBucket.class);
    for (int moment = 0; moment < HORIZON; moment++) {
      int at = moment;
      Seen seen =
          states.stream()
              .filter(s -> s.fromMillis() <= at && at < s.toMillis())
              .findFirst()
              .orElse(new Seen(0, 0, UsageBucket.FREE, 0));
      long held =
          uses.stream()
              .filter(u -> u.fromMillis() <= at && at < u.toMillis())
              .mapToLong(Use::milli)
              .sum();
      if (seen.toMillis() <= at && held == 0) {
        continue;
      }
      if (seen.bucket() != UsageBucket.FREE) {
        sums.merge(seen.bucket(), 1000L, Long::sum);
        continue;
      }
      long kept = Math.min(1000 - held, seen.keptMilli());
      sums.merge(UsageBucket.USED, held, Long::sum);
      sums.merge(UsageBucket.KEPT, kept, Long::sum);
      sums.merge(UsageBucket.FREE, 1000 - held - kept, Long::sum);
    }
    sums.values().removeIf(amount -> amount == 0);
    return sums;
  }

  private static long physical(GpuTime time) {
    return time.buckets().values().stream().mapToLong(Long::longValue).sum();
  }
}
