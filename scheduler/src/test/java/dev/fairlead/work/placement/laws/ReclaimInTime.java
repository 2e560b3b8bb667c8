package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.work.placement.After;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;

/**
 * If nodes cover the nominal quotas, a job within the nominal quota of its queue waits for
 * borrowing jobs at most their remaining minimum runtime and the eviction. On worlds of
 * LendingScene. Fails when no job may be reclaimed, and when jobs borrow that are never evicted.
 */
final class ReclaimInTime implements Law.Check {
  private static final Duration STEP = Duration.ofSeconds(30);

  @Override
  public Optional<String> broken(World world, Random random) {
    if (world.pending().size() != 1 || !covered(world)) {
      return Optional.empty();
    }
    Instant bound = bound(world);
    PendingJob owed = world.pending().getFirst();
    World now = world;
    while (!now.asOf().isAfter(bound)) {
      Planned planned = Planned.of(now);
      if (planned.started(owed.job().id()) > 0) {
        return Optional.empty();
      }
      Instant next = now.asOf().plus(STEP);
      now = After.of(now, planned.plan());
      now = Changed.asOf(Leaving.gone(now, l -> Leaving.by(l, next)), next);
    }
    return Optional.of(
        owed.job().name() + " waits longer than " + Duration.between(world.asOf(), bound));
  }

  /** The nodes, and quota that is not counted twice, suffice for the entitlement of every queue. */
  private static boolean covered(World world) {
    long nominal =
        world.quotaNodes().stream()
            .flatMap(n -> n.limits().stream())
            .map(QuotaLimit::nominal)
            .mapToLong(n -> n == null ? 0 : n)
            .sum();
    long physical = world.nodes().stream().mapToLong(n -> n.allocatable().gpuMilli()).sum();
    PendingJob owed = world.pending().getFirst();
    long own =
        world.quotaNodes().stream()
            .filter(n -> n.id().equals(owed.job().queue()))
            .flatMap(n -> n.limits().stream())
            .map(QuotaLimit::nominal)
            .mapToLong(n -> n == null ? 0 : n)
            .sum();
    long asked =
        owed.job().spec().roles().stream()
            .mapToLong(r -> r.count() * r.gpu().count() * 1000L)
            .sum();
    return physical >= nominal && asked <= own;
  }

  private static Instant bound(World world) {
    Instant last = world.asOf();
    Duration grace = Duration.ZERO;
    for (World.LiveAttempt live : world.live()) {
      JobSpec.PreemptionSpec rules = live.job().spec().preemption();
      Instant began = live.attempt().startedAt();
      Instant free = (began == null ? world.asOf() : began).plus(rules.minRuntime());
      last = free.isAfter(last) ? free : last;
      grace = rules.gracePeriod().compareTo(grace) > 0 ? rules.gracePeriod() : grace;
    }
    return last.plus(grace).plus(STEP).plus(STEP);
  }
}
