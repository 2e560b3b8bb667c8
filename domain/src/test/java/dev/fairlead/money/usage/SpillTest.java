package dev.fairlead.money.usage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The part of hourly paid usage that reserved capacity could have served. */
class SpillTest {
  private static final ClusterId HERE = new ClusterId(new UUID(0, 1));
  private static final ClusterId THERE = new ClusterId(new UUID(0, 2));
  private static final TenantId ACME = new TenantId(new UUID(0, 3));
  private static final TenantId OTHER = new TenantId(new UUID(0, 4));
  private final TreeMap<UsageOwner, Long> used = new TreeMap<>();
  private final TreeMap<FleetPart, Map<UsageBucket, Long>> fleet = new TreeMap<>();

  private void use(TenantId tenant, ClusterId cluster, CapacityType type, long amount) {
    UUID id = new UUID(0, 9);
    used.merge(
        new UsageOwner(
            tenant,
            new ProjectId(id),
            new QuotaNodeId(id),
            "ada",
            cluster,
            "",
            new Flavor("H100", type),
            null,
            Collections.emptySortedMap()),
        amount,
        Long::sum);
  }

  private void gpus(
      ClusterId cluster,
      @Nullable TenantId owner,
      CapacityType type,
      UsageBucket bucket,
      long amount) {
    fleet
        .computeIfAbsent(
            new FleetPart(cluster, owner == null ? "" : "own", owner, "H100", type),
            p -> new EnumMap<>(UsageBucket.class))
        .merge(bucket, amount, Long::sum);
  }

  private void reserved(
      ClusterId cluster, @Nullable TenantId owner, UsageBucket bucket, long amount) {
    gpus(cluster, owner, CapacityType.RESERVED, bucket, amount);
  }

  private Map<SpillCause, Long> causes(TenantId tenant) {
    Map<SpillCause, Long> causes = new EnumMap<>(SpillCause.class);
    Spill.of(new HourSums(0, used, fleet, new TreeMap<>()))
        .forEach((key, amount) -> {
          if (key.tenant().equals(tenant)) {
            causes.merge(key.cause(), amount, Long::sum);
          }
        });
    return causes;
  }

  /** Fails when a cause is repeated, missing, or not ordered by proximity. */
  @Test
  void useIsSplitByWhatReservedCapacityCouldHaveServed() {
    use(ACME, HERE, CapacityType.ON_DEMAND, 100);
    reserved(HERE, null, UsageBucket.FREE, 10);
    reserved(THERE, null, UsageBucket.FREE, 20);
    reserved(THERE, null, UsageBucket.SICK, 3);
    reserved(HERE, null, UsageBucket.MAINTENANCE, 4);
    reserved(HERE, null, UsageBucket.KEPT, 500);

    assertThat(causes(ACME))
        .containsExactly(
            entry(SpillCause.FREE_IN_CLUSTER, 10L),
            entry(SpillCause.FREE_ELSEWHERE, 20L),
            entry(SpillCause.OUT_OF_SERVICE, 7L),
            entry(SpillCause.FULL, 63L));
  }

  /** Fails when a tenant sees free GPUs that it may not use. */
  @Test
  void poolsOfOtherTenantsServeOnlyTheirTenant() {
    use(ACME, HERE, CapacityType.SPOT, 10);
    use(OTHER, THERE, CapacityType.ON_DEMAND, 10);
    reserved(HERE, OTHER, UsageBucket.FREE, 50);

    assertThat(causes(ACME)).containsExactly(entry(SpillCause.OF_OTHERS, 10L));
    assertThat(causes(OTHER)).containsExactly(entry(SpillCause.FREE_ELSEWHERE, 10L));
  }

  /**
   * Fails when a tenant's own pools are unused while the share of others in common capacity
   * shrinks.
   */
  @Test
  void commonCapacityIsSharedByDemandBeyondDedicatedPools() {
    use(ACME, HERE, CapacityType.ON_DEMAND, 90);
    use(OTHER, HERE, CapacityType.ON_DEMAND, 31);
    reserved(THERE, ACME, UsageBucket.FREE, 60);
    reserved(HERE, null, UsageBucket.FREE, 41);

    assertThat(causes(ACME))
        .containsEntry(SpillCause.FREE_ELSEWHERE, 60L)
        .containsEntry(SpillCause.FREE_IN_CLUSTER, 21L)
        .containsEntry(SpillCause.FULL, 9L);
    assertThat(causes(OTHER))
        .containsEntry(SpillCause.FREE_IN_CLUSTER, 20L)
        .containsEntry(SpillCause.FULL, 11L);
  }

  /** Fails when use of reserved capacity, or GPUs of another model or type, count. */
  @Test
  void onlyReservedGpusOfTheModelCount() {
    use(ACME, HERE, CapacityType.RESERVED, 5);
    use(ACME, HERE, CapacityType.ON_DEMAND, 5);
    gpus(HERE, null, CapacityType.ON_DEMAND, UsageBucket.FREE, 50);
    fleet.put(
        new FleetPart(HERE, "", null, "B200", CapacityType.RESERVED), Map.of(UsageBucket.FREE, 9L));

    assertThat(causes(ACME)).containsExactly(entry(SpillCause.NO_SUCH_MODEL, 5L));
  }

  /** Fails when causes do not add up to the use, or free time is assigned twice. */
  @Test
  void causesAddUpWithoutDoubleCounting() {
    Random random = new Random(20);
    for (int round = 0; round < 500; round++) {
      used.clear();
      fleet.clear();
      long free = 0;
      long spilled = 0;
      for (TenantId tenant : new TenantId[] {ACME, OTHER}) {
        for (ClusterId cluster : new ClusterId[] {HERE, THERE}) {
          long amount = random.nextLong(1, 400_000_000_000_000L);
          use(tenant, cluster, CapacityType.SPOT, amount);
          spilled += amount;
          long idle = random.nextLong(400_000_000_000_000L);
          reserved(cluster, random.nextBoolean() ? tenant : null, UsageBucket.FREE, idle);
          free += idle;
        }
      }
      Map<Spill.Key, Long> all = Spill.of(new HourSums(0, used, fleet, new TreeMap<>()));
      assertThat(all.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(spilled);
      assertThat(all.values()).allMatch(amount -> amount > 0);
      assertThat(
              all.entrySet().stream()
                  .filter(e -> e.getKey().cause().servable())
                  .mapToLong(Map.Entry::getValue)
                  .sum())
          .isLessThanOrEqualTo(Math.min(free, spilled));
    }
  }
}
